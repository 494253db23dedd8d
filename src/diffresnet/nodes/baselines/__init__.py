"""The methods that the paper's node table compares with, each in its own file."""
