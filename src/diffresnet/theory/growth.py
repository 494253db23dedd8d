"""L, D and L/D along diffusion, and how fast the ratio grows (Proposition 1)."""

import math
from dataclasses import dataclass

from diffresnet._support.checks import check_count, check_real, fail
from diffresnet._support.progress import progress_bar
from diffresnet._support.types import Array
from diffresnet.diffusion.input import check_steps
from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.theory.grouped_points import check_grouped
from diffresnet.theory.spectrum import leads_to_one_limit
from diffresnet.theory.stability import analyze_stability
from diffresnet.theory.structure import max_diameter, min_distance

HUGE = 1e100
"""Points that are farther away have run away."""


@dataclass(frozen=True)
class Growth:
    """L and D after 0, 1, 2, ... steps.

    Attributes:
        min_distances: L.
        max_diameters: D.
        contraction: what a step leaves of the slowest mode of the graph, by its eigenvalues.
        settles: whether the points of each subclass tend to one point, as Proposition 1 asks.
    """

    min_distances: tuple[float, ...]
    max_diameters: tuple[float, ...]
    contraction: float
    settles: bool

    @property
    def ratios(self) -> tuple[float, ...]:
        """L/D; where D is 0, infinity, or 0 if L is 0 too, so that subclasses coincide."""
        pairs = zip(self.min_distances, self.max_diameters, strict=True)
        return tuple(
            low / high if high > 0 else math.inf if low > 0 else 0.0 for low, high in pairs
        )

    @property
    def spectral_rate(self) -> float:
        """The exponential rate a step at which D must fall in the end, -log of the contraction.

        It is 0 if D need not fall: points of a subclass tend to different ones.
        """
        if not self.settles:
            return 0.0
        return -math.log(self.contraction) if self.contraction > 0 else math.inf

    def measured_rate(self, first: int, last: int) -> float:
        """Return the rate a step at which D falls between two steps, log(D/D') / (t' - t).

        Raises:
            ValueError: if the steps are out of range or order, or D is 0 at one of them.
        """
        n_steps = len(self.max_diameters) - 1
        last = check_count("measured_rate", "last", last, low=1, high=n_steps, of="the last step")
        first = check_count("measured_rate", "first", first, low=0, high=last - 1, of="`last` - 1")
        before, after = self.max_diameters[first], self.max_diameters[last]
        if before == 0 or after == 0:
            remedy = "Take earlier steps."
            fail("measured_rate", "last", "a step with a positive D", last, remedy)
        return math.log(before / after) / (last - first)

    def first_step_above(self, ratio: float) -> int | None:
        """Return the first step at which L/D is at least `ratio`, or None."""
        found = (step for step, value in enumerate(self.ratios) if value >= ratio)
        return next(found, None)


def diffusion_growth(
    points: Array,
    subclasses: Array,
    operator: DiffusionOperator,
    *,
    step_size: float,
    n_steps: int,
) -> Growth:
    """Diffuse points step by step, and measure L, D and L/D (Proposition 1).

    If no link leaves a subclass and each is connected (symmetric weights), D tends to 0 and L/D
    to infinity, both at the spectral rate. The paper says that L never falls; that is true of the
    distance between convex hulls (`min_hull_distance`), up to `max_convex_step_size`. For directed
    graphs the proposition fails: see `count_closed_classes`.

    Args:
        points: (N, d).
        subclasses: (N,) integers; points with the same one are in the same subclass.
        operator: diffusion over a graph of the N points.
        step_size: gamma, positive.
        n_steps: how many steps to take, one at a time.

    Raises:
        ValueError: if `points` is not a finite (N, d) array or `subclasses` not N integers, if the
            operator is a batch or has other points, or an argument is out of range.

    Examples:
        >>> import torch
        >>> points = torch.tensor([[0.0], [1.0], [8.0], [9.0]])
        >>> pairs = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
        >>> operator = DiffusionOperator(torch.block_diag(pairs, pairs).double())
        >>> subclasses = torch.tensor([0, 0, 1, 1])
        >>> growth = diffusion_growth(points, subclasses, operator, step_size=0.25, n_steps=3)
        >>> growth.max_diameters
        (1.0, 0.5, 0.25, 0.125)
        >>> growth.ratios
        (7.0, 15.0, 31.0, 63.0)
    """
    rows, groups = check_grouped("diffusion_growth", points, subclasses)
    step_size = check_real("diffusion_growth", "step_size", step_size)
    n_steps = check_steps("diffusion_growth", "n_steps", n_steps)
    exact = operator.to(rows.dtype)
    contraction = analyze_stability(exact, step_size).contraction
    settles = leads_to_one_limit(exact, groups.cpu().numpy())
    pairs: list[tuple[float, float]] = []
    with progress_bar("diffusing", n_steps) as advance:
        for state in exact.states(rows, step_size, range(n_steps + 1), method="euler"):
            if not float(state.abs().max()) < HUGE:
                got, remedy = f"{step_size:g}, with which points run away", "Lower `step_size`."
                fail("diffusion_growth", "step_size", "one that is stable", got, remedy)
            pairs.append((min_distance(state, groups), max_diameter(state, groups)))
            advance(len(pairs) - 1, "")
    lows, highs = zip(*pairs, strict=True)
    return Growth(lows, highs, contraction, settles)
