"""Measurements: one interval, one paired difference, one way to run many trials and go on."""
