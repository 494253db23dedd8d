"""What a mixture is made of: each part learns from the labels in a way of its own."""
