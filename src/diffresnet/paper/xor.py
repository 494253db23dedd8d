"""Figure "XOR" (Section 5.1): diffusion alone, without a network, draws each subclass together."""

from dataclasses import dataclass

import torch
from torch import Tensor

from diffresnet._support.threads import limited_threads
from diffresnet.datasets import SyntheticSet, make_xor
from diffresnet.paper.settings import XOR, XOR_STEPS
from diffresnet.theory import max_diameter, min_distance

FRAMES = (*range(30), *range(30, 100, 5), *range(100, 201, 20))
"""The steps that the animation shows: all at first, fewer as the points slow down."""


@dataclass(frozen=True)
class XorResult:
    """The XOR set along diffusion.

    Attributes:
        data: the points before diffusion, with their classes and subclasses.
        shown: the points after each of the steps of the figure.
        frames: the points after the steps of the animation.
        min_distances: L after 0, 1, 2, ... steps.
        max_diameters: D after 0, 1, 2, ... steps.
    """

    data: SyntheticSet
    shown: dict[int, Tensor]
    frames: dict[int, Tensor]
    min_distances: tuple[float, ...]
    max_diameters: tuple[float, ...]

    def to_json(self) -> dict[str, list[float]]:
        """Return L, D and L/D by step, for a file."""
        pairs = zip(self.min_distances, self.max_diameters, strict=True)
        return {
            "step": list(range(len(self.min_distances))),
            "min_distance": list(self.min_distances),
            "max_diameter": list(self.max_diameters),
            "distance_diameter_ratio": [distance / diameter for distance, diameter in pairs],
        }

    def rows(self) -> list[list[str]]:
        """Return the steps of the figure with L, D and L/D, for a table."""
        return [
            [str(step), f"{distance:.3f}", f"{diameter:.3g}", f"{distance / diameter:.3g}"]
            for step in self.shown
            for distance, diameter in [(self.min_distances[step], self.max_diameters[step])]
        ]


@limited_threads(1)
def run_xor(generator: torch.Generator) -> XorResult:
    """Diffuse the XOR set step by step and measure L and D after every step.

    Examples:
        >>> result = run_xor(torch.Generator().manual_seed(0))
        >>> result.max_diameters[200] < 1e-3 < result.max_diameters[0]
        True
    """
    data = make_xor(generator)
    every_step = range(max(XOR_STEPS) + 1)
    states = list(XOR.operator(data.points).states(data.points, XOR.step_size, every_step))
    return XorResult(
        data,
        {step: states[step] for step in XOR_STEPS},
        {step: states[step] for step in FRAMES},
        tuple(min_distance(state, data.subclasses) for state in states),
        tuple(max_diameter(state, data.subclasses) for state in states),
    )
