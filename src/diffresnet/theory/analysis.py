"""All of the theory on one set of points: is it structured, is diffusion stable, does it help."""

import math
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

from diffresnet._support.checks import check_count, check_real, fail
from diffresnet._support.types import Array
from diffresnet._support.writing import finite
from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.graph.weights import build_weights
from diffresnet.theory.balls import ball_factor
from diffresnet.theory.directions import SeparatingDirection, find_separating_direction
from diffresnet.theory.flow import FlowReport, build_flow
from diffresnet.theory.grouped_points import check_grouped
from diffresnet.theory.growth import Growth, diffusion_growth
from diffresnet.theory.hulls import min_hull_distance
from diffresnet.theory.required_ratio import BOUNDS, Bound, required_ratio
from diffresnet.theory.spectrum import count_closed_classes
from diffresnet.theory.stability import StabilityReport, analyze_stability
from diffresnet.theory.subclasses import NTopRange, Subclasses, find_n_top_range, find_subclasses

FEWEST_STEPS, MOST_STEPS = 20, 1000
"""That are taken where nobody says how many."""


@dataclass(frozen=True)
class RatioReached:
    """When the ratio that Theorem 2 requires is reached.

    Attributes:
        bound: which of the bounds.
        required: L/D from which it holds, D the largest distance inside a subclass.
        step: the first diffusion step at which L/D is that large; None if not within those taken.
    """

    bound: Bound
    required: float
    step: int | None


@dataclass(frozen=True)
class Separation:
    """What the search of Theorem 2 and the network of Theorem 1 make of the points.

    Attributes:
        step: after how many diffusion steps.
        direction: the best direction found.
        flow: of the network; None if no direction separates the subclasses.
    """

    step: int
    direction: SeparatingDirection
    flow: FlowReport | None

    def to_json(self) -> dict[str, Any]:
        """Return everything, for a file."""
        return {
            "step": self.step,
            "direction_found": self.direction.found,
            "direction": self.direction.direction.tolist(),
            "thresholds": list(self.direction.thresholds),
            "margin": finite(self.direction.margin),
            "order": list(self.direction.order),
            "pairs_parted": self.direction.n_parted,
            "flow": None if self.flow is None else self.flow.to_json(),
        }


@dataclass(frozen=True)
class TheoryAnalysis:
    """What the theory says of one set of points.

    Attributes:
        n_top: neighbors that the graph keeps.
        n_features: d.
        subclasses: those that the graph shows.
        n_top_range: for which `n_top` these subclasses fulfill the paper's conditions.
        n_closed_classes: sets of points that no link leaves.
        min_hull_distance: between the convex hulls of two subclasses.
        stability: of the diffusion steps.
        growth: L and D along them.
        reached: when the ratio of Theorem 2 is reached, for each bound.
        raw: Theorems 1 and 2 on the points as they are.
        diffused: the same after the steps of the exact bound, or the last of those taken.
    """

    n_top: int
    n_features: int
    subclasses: Subclasses
    n_top_range: NTopRange
    n_closed_classes: int
    min_hull_distance: float
    stability: StabilityReport
    growth: Growth
    reached: tuple[RatioReached, ...]
    raw: Separation
    diffused: Separation

    def to_json(self) -> dict[str, Any]:
        """Return the numbers, for a file; infinite ones become None."""
        found = self.subclasses
        return {
            "n_points": len(found.ids),
            "n_features": self.n_features,
            "n_top": self.n_top,
            "n_subclasses": found.n_subclasses,
            "class_of_subclass": found.labels.tolist(),
            "subclass_of_point": found.ids.tolist(),
            "n_components": found.n_components,
            "n_crossing_links": found.n_crossing_links,
            "n_scattered": found.n_scattered,
            "n_closed_classes": self.n_closed_classes,
            "is_structured": found.are_structured,
            "n_top_range": asdict(self.n_top_range),
            "min_hull_distance": finite(self.min_hull_distance),
            "stability": self.stability.to_json(),
            "spectral_rate": finite(self.growth.spectral_rate),
            "min_distance": [finite(value) for value in self.growth.min_distances],
            "max_diameter": list(self.growth.max_diameters),
            "distance_diameter_ratio": [finite(value) for value in self.growth.ratios],
            "required_ratio": [asdict(one) for one in self.reached],
            "raw": self.raw.to_json(),
            "diffused": self.diffused.to_json(),
        }


def analyze(
    points: Array,
    labels: Array,
    *,
    n_top: int = 11,
    step_size: float | None = None,
    n_steps: int | None = None,
    width: int = 8,
) -> TheoryAnalysis:
    """Tell what the theory says of labeled points.

    Args:
        points: (N, d).
        labels: (N,) integers, the class of each point.
        n_top: neighbors that the graph keeps, the point itself counted; at most N.
        step_size: gamma; by default the longest with which hulls do not grow,
            `max_convex_step_size`, or a shorter one that draws points together sooner.
        n_steps: diffusion steps to take; by default, up to `MOST_STEPS`, as many as the spectrum
            says that it takes until the exact bound of Theorem 2 holds, and some more.
        width: w, of the network of Theorem 1.

    Raises:
        ValueError: if `points` is not a finite (N, d) array or `labels` not N integers, a label is
            missing (-1), or an argument is out of range.

    Examples:
        >>> from diffresnet.datasets import make_xor
        >>> data = make_xor(torch.Generator().manual_seed(0), n_points=80)
        >>> found = analyze(data.points, data.labels, n_top=6, n_steps=60)
        >>> found.subclasses.are_structured, found.diffused.direction.found
        (True, True)
    """
    rows, classes = check_grouped("analyze", points, labels, "labels")
    n_top = check_count("analyze", "n_top", n_top, low=1, high=len(rows), of="the number of points")
    n_missing = int((classes == -1).sum())
    if n_missing:
        remedy = "Leave these points out."
        fail("analyze", "labels", "known for every point", f"{n_missing} times -1", remedy)
    operator = DiffusionOperator(build_weights(rows, n_top))
    if step_size is None:
        step_size = _choose_step(operator)
    step_size = check_real("analyze", "step_size", step_size)
    found = find_subclasses(rows, classes, operator)
    stability = analyze_stability(operator, step_size)
    if n_steps is None:
        n_steps = _expect_steps(found, stability, rows.shape[1])
    growth = diffusion_growth(rows, found.ids, operator, step_size=step_size, n_steps=n_steps)
    reached = tuple(_reach(bound, growth, found.n_subclasses, rows.shape[1]) for bound in BOUNDS)
    last = reached[-1].step if reached[-1].step is not None else n_steps
    raw = diffused = _separate(rows, found, classes, 0, width)
    if last > 0:
        moved = operator.diffuse(rows, step_size, last)
        diffused = _separate(moved, found, classes, last, width)
    return TheoryAnalysis(
        n_top,
        rows.shape[1],
        found,
        find_n_top_range(rows, found.ids),
        count_closed_classes(operator),
        min_hull_distance(rows, found.ids),
        stability,
        growth,
        reached,
        raw,
        diffused,
    )


def _choose_step(operator: DiffusionOperator) -> float:
    """Return the longest convex step, or the one that is best for the slowest and fastest mode."""
    longest = operator.max_convex_step_size
    if not math.isfinite(longest):
        return 1.0
    report = analyze_stability(operator, longest)
    return min(longest, 2 / (report.second_eigenvalue + report.largest_eigenvalue))


def _expect_steps(found: Subclasses, stability: StabilityReport, n_features: int) -> int:
    """Return after how many steps L/D should be ten times what the exact bound requires."""
    required = ball_factor(n_features) * required_ratio(found.n_subclasses, n_features)
    if found.min_distance == 0 or required == 0 or found.max_diameter == 0:
        return FEWEST_STEPS
    factor = found.min_distance / found.max_diameter / required / 10
    n_steps = stability.count_steps(min(max(factor, 1e-9), 0.1))
    return min(max(n_steps or 0, FEWEST_STEPS), MOST_STEPS)


def _reach(bound: Bound, growth: Growth, n_subclasses: int, n_features: int) -> RatioReached:
    required = ball_factor(n_features) * required_ratio(n_subclasses, n_features, bound)
    return RatioReached(bound, required, growth.first_step_above(required))


def _separate(rows: Tensor, found: Subclasses, labels: Tensor, step: int, width: int) -> Separation:
    if rows.shape[1] == 1:  # the network needs a second direction to move points in
        rows = torch.cat([rows, torch.zeros_like(rows)], dim=1)
    direction = find_separating_direction(rows, found.ids)
    flow = None
    if direction.found:
        flow = build_flow(rows, found.ids, labels, width, found=direction).report
    return Separation(step, direction, flow)
