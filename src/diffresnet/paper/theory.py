"""The theory on examples: XOR's growth, a directed graph that breaks it, one hinge and two."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from diffresnet._support.threads import limited_threads
from diffresnet.datasets import SyntheticSet, make_xor
from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.graph.matrix import symmetrize
from diffresnet.paper.one_hinge import build_one_hinge_flow
from diffresnet.paper.settings import XOR, XOR_STEPS, DiffusionSettings
from diffresnet.theory import (
    BOUNDS,
    Bound,
    Flow,
    Growth,
    ball_factor,
    build_flow,
    count_closed_classes,
    diffusion_growth,
    find_separating_direction,
    max_diameter,
    required_ratio,
)

DIRECTED_N_TOP = 5
DIRECTED_STEPS = 4000
"""Of size 1, for the directed graph; more change nothing."""

SLABS = ((0.0, 1.4), (1.6, 2.0), (2.2, 3.6), (3.8, 4.2), (4.4, 5.8))
"""Where the regions of the example of Theorem 1 lie along w*."""


REQUIRED: dict[Bound, float] = {bound: required_ratio(4, 2, bound) for bound in BOUNDS}
"""The L/D that Theorem 2 asks of the four balls of the XOR set."""


@dataclass(frozen=True)
class GraphExample:
    """The XOR set after very many steps over a graph of 5 neighbors.

    Of D is left `max_diameter`; closed classes are sets of points that no link leaves.
    """

    points: Tensor
    max_diameter: float
    n_closed_classes: int

    def to_json(self) -> dict[str, Any]:
        """Return the numbers, for a file."""
        return {"max_diameter": self.max_diameter, "n_closed_classes": self.n_closed_classes}


@dataclass(frozen=True)
class TheoryResult:
    """What the pictures of the theory show.

    Attributes:
        xor: the XOR set.
        growth: L and D on it by step.
        directed: its end over a directed graph.
        symmetrized: its end over the same graph, symmetrized.
        regions: (N, 2) points of the example of Theorem 1, w* being the first axis.
        region_labels: (N,) their classes.
        one_hinge: the paper's network for these.
        two_hinges: ours.
    """

    xor: SyntheticSet
    growth: Growth
    directed: GraphExample
    symmetrized: GraphExample
    regions: Tensor
    region_labels: Tensor
    one_hinge: Flow
    two_hinges: Flow

    def to_json(self) -> dict[str, Any]:
        """Return the numbers, for a file."""
        first_step = self.growth.first_step_above
        return {
            "xor": {
                "measured_rate": self.growth.measured_rate(50, max(XOR_STEPS)),
                "spectral_rate": self.growth.spectral_rate,
                "bounds": {
                    bound: {
                        "required_ratio": ratio,
                        "step": first_step(ratio),
                        "step_with_ball_factor": first_step(ball_factor(2) * ratio),
                    }
                    for bound, ratio in REQUIRED.items()
                },
            },
            "directed": self.directed.to_json(),
            "symmetrized": self.symmetrized.to_json(),
            "n_wrong": {
                "one_hinge": self.one_hinge.report.n_wrong,
                "two_hinges": self.two_hinges.report.n_wrong,
            },
        }


@limited_threads(1)
def run_theory(generator: torch.Generator) -> TheoryResult:
    """Compute the examples.

    Examples:
        >>> result = run_theory(torch.Generator().manual_seed(0))
        >>> result.directed.n_closed_classes, result.symmetrized.n_closed_classes
        (5, 4)
        >>> result.two_hinges.report.n_wrong
        0
    """
    data = make_xor(generator)
    directed = DiffusionSettings(DIRECTED_N_TOP).operator(data.points)
    slabs, regions = _make_slabs(generator)
    found, labels = find_separating_direction(slabs, regions), regions % 2
    return TheoryResult(
        data,
        diffusion_growth(
            data.points,
            data.subclasses,
            XOR.operator(data.points),
            step_size=XOR.step_size,
            n_steps=max(XOR_STEPS),
        ),
        _diffuse_long(data, directed),
        _diffuse_long(data, DiffusionOperator(symmetrize(directed.weights))),
        slabs,
        labels,
        build_one_hinge_flow(slabs, regions, labels, 2, found),
        build_flow(slabs, regions, labels, 2, found=found),
    )


def _diffuse_long(data: SyntheticSet, operator: DiffusionOperator) -> GraphExample:
    step_size = min(1.0, operator.max_convex_step_size)
    end = operator.diffuse(data.points, step_size, DIRECTED_STEPS, method="euler")
    return GraphExample(end, max_diameter(end, data.subclasses), count_closed_classes(operator))


def _make_slabs(generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Draw 60 points in each of some rectangles side by side, whose classes alternate."""
    regions = torch.arange(len(SLABS)).repeat_interleave(60)
    ends = torch.tensor(SLABS, dtype=torch.float64)[regions]
    inside = torch.rand(len(regions), 2, generator=generator, dtype=torch.float64)
    places = ends[:, 0] + (ends[:, 1] - ends[:, 0]) * inside[:, 0]
    return torch.stack([places, inside[:, 1]], dim=1), regions
