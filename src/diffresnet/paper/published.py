"""Every number that the paper reports, and what its program printed for the figures' seeds."""

XOR_START = {"min_distance": 0.5, "max_diameter": 1.5}
"""Section 5.1: L and D before diffusion, those of the discs that the points are drawn from."""

SYNTHETIC_ACCURACY = {
    "moon": {"without": (50.0, 84.1, 87.7), "with": (50.0, 86.0, 100.0)},
    "circle": {"without": (50.0, 50.7, 51.6), "with": (50.0, 89.1, 100.0)},
    "spiral": {"without": (36.2, 50.2, 52.4), "with": (50.0, 86.5, 100.0)},
}
"""Percent at epochs 0, 10 and 20, without and with diffusion, for the one seed that is shown."""
