"""The synthetic experiments (Section 5.1)."""
