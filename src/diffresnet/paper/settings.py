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


@dataclass(frozen=True)
class SyntheticSettings:
    """How a planar set is diffused and learned."""

    diffusion: DiffusionSettings
    n_steps: int
    learning_rate: float


def _planar(n_top: int, n_steps: int, learning_rate: float) -> SyntheticSettings:
    diffusion = DiffusionSettings(n_top, bandwidth=0.5, step_size=1.0, normalization="row")
    return SyntheticSettings(diffusion, n_steps, learning_rate)


SYNTHETIC = {
    "moon": _planar(n_top=25, n_steps=60, learning_rate=1.0),
    "circle": _planar(n_top=50, n_steps=200, learning_rate=1.0),
    "spiral": _planar(n_top=25, n_steps=900, learning_rate=0.8),
}
"""Appendix E.1.3."""

SYNTHETIC_MOMENTUM = 0.9
SYNTHETIC_WEIGHT_DECAY = 5e-4

SYNTHETIC_EPOCHS = (0, 10, 20)
"""The epochs at which the figures of Section 5.1 and Appendix E.1.4 show the features."""
