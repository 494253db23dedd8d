"""The few-shot experiments (Section 5.3)."""
