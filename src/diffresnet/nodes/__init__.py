"""Node classification: graphs, splits, training and its rivals."""
