"""Thousands of damaged files and random arguments, each the same for the same seed."""
