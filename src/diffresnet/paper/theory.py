"""The theory on examples: XOR's growth, a directed graph that breaks it, one hinge and two."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from diffresnet._matrix import symmetrize
from diffresnet.datasets import make_xor
from diffresnet.diffusion import DiffusionOperator
from diffresnet.paper.one_hinge import build_one_hinge_flow
from diffresnet.paper.settings import XOR, XOR_STEPS
from diffresnet.theory import (
    BOUNDS,
    Growth,
    ball_factor,
    build_flow,
    count_closed_classes,
    diffusion_growth,
    find_separating_direction,
    max_diameter,
    required_ratio,
)
from diffresnet.weights import build_weights

DIRECTED_N_TOP = 5
DIRECTED_STEPS = 4000
"""Of size 1, for the directed graph; more change nothing."""

SLABS = ((0.0, 1.4), (1.6, 2.0), (2.2, 3.6), (3.8, 4.2), (4.4, 5.8))
"""Where the regions of the example of Theorem 1 lie along w*."""


@dataclass(frozen=True)
class TheoryResult:
    """What the pictures of the theory show.

    Attributes:
        growth: L and D on XOR, with the paper's settings.
        required: for each bound, the L/D of Theorem 2 for balls of diameter D.
        reached: for each bound, the step at which it is reached; and with `ball_factor`.
        labels: (400,) classes of the XOR set.
        raw: (400, 2) its points.
        directed: the points after diffusion over the directed graph of 5 neighbors.
        symmetrized: the same over the symmetrized graph.
        diameters: D at the end, over the directed and over the symmetrized graph.
        closed_classes: of the two graphs.
        slabs: (N, 2) points of the example of Theorem 1, w* being the first axis.
        slab_labels: (N,) their classes.
        one_hinge: the points after the paper's network.
        two_hinges: the points after ours.
        n_wrong: points on the wrong side after each.
    """

    growth: Growth
    required: dict[str, float]
    reached: dict[str, tuple[int | None, int | None]]
    labels: Tensor
    raw: Tensor
    directed: Tensor
    symmetrized: Tensor
    diameters: tuple[float, float]
    closed_classes: tuple[int, int]
    slabs: Tensor
    slab_labels: Tensor
    one_hinge: Tensor
    two_hinges: Tensor
    n_wrong: tuple[int, int]

    def to_json(self) -> dict[str, Any]:
        """Return the numbers, for a file."""
        return {
            "measured_rate": self.growth.measured_rate(50, max(XOR_STEPS)),
            "spectral_rate": self.growth.spectral_rate,
            "required_ratio": self.required,
            "step_reached": {bound: steps[0] for bound, steps in self.reached.items()},
            "step_reached_with_ball_factor": {b: steps[1] for b, steps in self.reached.items()},
            "directed": {"max_diameter": self.diameters[0], "closed": self.closed_classes[0]},
            "symmetrized": {"max_diameter": self.diameters[1], "closed": self.closed_classes[1]},
            "n_wrong": {"one_hinge": self.n_wrong[0], "two_hinges": self.n_wrong[1]},
        }


def run_theory(generator: torch.Generator) -> TheoryResult:
    """Compute the examples.

    Examples:
        >>> result = run_theory(torch.Generator().manual_seed(0))
        >>> result.closed_classes, result.n_wrong[1]
        ((5, 4), 0)
    """
    data = make_xor(generator)
    points, groups = data.points, data.subclasses
    weights = build_weights(
        points, XOR.n_top, bandwidth=XOR.bandwidth, normalization=XOR.normalization
    )
    operator = DiffusionOperator(weights)
    growth = diffusion_growth(
        points, groups, operator, step_size=XOR.step_size, n_steps=max(XOR_STEPS)
    )
    required = {bound: required_ratio(4, 2, bound) for bound in BOUNDS}
    few = build_weights(points, DIRECTED_N_TOP, bandwidth=XOR.bandwidth, normalization="row")
    graphs = DiffusionOperator(few), DiffusionOperator(symmetrize(few))
    ends = [
        graph.diffuse(points, min(1.0, graph.max_convex_step_size), DIRECTED_STEPS, method="euler")
        for graph in graphs
    ]
    slabs, regions = _make_slabs(generator)
    flows = _build_both(slabs, regions)
    return TheoryResult(
        growth,
        required,
        {
            bound: (
                growth.first_step_above(ratio),
                growth.first_step_above(ball_factor(2) * ratio),
            )
            for bound, ratio in required.items()
        },
        data.labels,
        points,
        *ends,
        (max_diameter(ends[0], groups), max_diameter(ends[1], groups)),
        (count_closed_classes(graphs[0]), count_closed_classes(graphs[1])),
        slabs,
        regions % 2,
        *(moved for moved, _ in flows),
        (flows[0][1], flows[1][1]),
    )


def _make_slabs(generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Draw 60 points in each of some rectangles side by side, whose classes alternate."""
    regions = torch.arange(len(SLABS)).repeat_interleave(60)
    ends = torch.tensor(SLABS, dtype=torch.float64)[regions]
    inside = torch.rand(len(regions), 2, generator=generator, dtype=torch.float64)
    places = ends[:, 0] + (ends[:, 1] - ends[:, 0]) * inside[:, 0]
    return torch.stack([places, inside[:, 1]], dim=1), regions


def _build_both(slabs: Tensor, regions: Tensor) -> list[tuple[Tensor, int]]:
    """Return the points after the paper's network and after ours, and how many are wrong."""
    found = find_separating_direction(slabs, regions)
    flows = (
        build_one_hinge_flow(slabs, regions, regions % 2, 2, found),
        build_flow(slabs, regions, regions % 2, 2, found=found),
    )
    with torch.no_grad():
        return [(flow.network(slabs), flow.report.n_wrong) for flow in flows]
