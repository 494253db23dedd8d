"""Three ways to learn from the labels, behind one interface."""
