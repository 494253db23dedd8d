"""The experiments on citation graphs (Section 5.2)."""
