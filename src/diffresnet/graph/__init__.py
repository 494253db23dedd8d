"""From points or links to the weights of a graph."""
