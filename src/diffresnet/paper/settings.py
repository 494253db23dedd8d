"""Every number that the paper sets, in the words of this package."""

from dataclasses import dataclass

from diffresnet._types import Normalization


@dataclass(frozen=True)
class DiffusionSettings:
    """How a set of points is diffused."""

    n_top: int
    bandwidth: float
    step_size: float
    normalization: Normalization


XOR = DiffusionSettings(n_top=20, bandwidth=0.5, step_size=1.0, normalization="row")
"""Appendix E.1.3; row normalization is what the paper's program does for synthetic sets."""

XOR_STEPS = (0, 1, 10, 20, 200)
"""The steps after which Figure "XOR" shows the points, the raw ones first."""
