"""Networks that turn images into features, in plain torch: one file a network."""
