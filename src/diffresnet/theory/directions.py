"""A direction along which all subclasses are disjoint intervals (Theorem 2), found."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from diffresnet._support.types import Array
from diffresnet.theory.balls import max_ball_diameter
from diffresnet.theory.direction_search import N_STARTS, descend, discriminants, fit_orders, whiten
from diffresnet.theory.grouped_points import Floats, Integers, split_groups
from diffresnet.theory.intervals import GroupedRows, unit
from diffresnet.theory.required_ratio import bad_fraction
from diffresnet.theory.structure import min_distance

RISK = 1e-9
"""How likely random draws may miss, where Theorem 2 says how many directions are good."""

FEWEST_DRAWS, MOST_DRAWS = 512, 4096
N_COMPARED = 256
"""Directions of which the pairs they part are counted, where none parts all."""

MOST_IMPROVED = 64
"""With more subclasses than this only directions are tried: programs for their orders are long."""

ROUNDING = 1e-12
"""Gaps below this, relative to the size of the points, are no gaps."""


@dataclass(frozen=True)
class SeparatingDirection:
    """The best direction that was found.

    Attributes:
        direction: (d,) w*, of length 1, in float64.
        order: the subclasses from left to right, by the numbers they were given.
        intervals: (M, 2) ends of w*.x for each of them, in this order.
        margin: the smallest gap between neighbors; negative if some overlap; infinite for one.
        n_parted: pairs of subclasses whose intervals do not touch, out of M(M-1)/2.
        found: whether all are disjoint, by more than rounding.
        n_tried: directions that were looked at.
    """

    direction: Tensor
    order: tuple[int, ...]
    intervals: Tensor
    margin: float
    n_parted: int
    found: bool
    n_tried: int

    @property
    def thresholds(self) -> tuple[float, ...]:
        """The M - 1 parallel hyperplanes w*.x = c: the middles of the gaps, from left to right."""
        middles = (self.intervals[1:, 0] + self.intervals[:-1, 1]) / 2
        return tuple(float(middle) for middle in middles)

    def __str__(self) -> str:
        n_pairs = len(self.order) * (len(self.order) - 1) // 2
        if self.found:
            return f"a direction separates all {len(self.order)} subclasses, by {self.margin:.3g}"
        return (
            f"no direction found that separates all {len(self.order)} subclasses; the best of "
            f"{self.n_tried} separates {self.n_parted} of {n_pairs} pairs"
        )


def find_separating_direction(
    points: Array, subclasses: Array, generator: torch.Generator | None = None
) -> SeparatingDirection:
    """Search a direction along which all subclasses are disjoint intervals (Theorem 2).

    Random directions come first, up to `MOST_DRAWS`, as many as make a miss less likely than
    `RISK` where the bound of Theorem 2 says how many are good, and the directions in which the
    means differ. If none will
    do, the best are turned by descent, and for the orders they show a linear program tells whether
    a direction exists. Beyond Theorem 2 the search is no proof: there may be one where none is
    found.

    Args:
        points: (N, d).
        subclasses: (N,) integers; points with the same one are in the same subclass.
        generator: of the random directions; by default one with a fixed seed.

    Raises:
        ValueError: if `points` is not a finite (N, d) array or `subclasses` not N integers.

    Examples:
        >>> points = torch.tensor([[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0]])
        >>> found = find_separating_direction(points, torch.tensor([0, 1, 2, 3]))
        >>> found.found, len(found.thresholds)
        (True, 3)
    """
    rows, groups, names = split_groups("find_separating_direction", points, subclasses)
    if generator is None:
        generator = torch.Generator().manual_seed(0)
    data = GroupedRows.of(rows, groups)
    tiny = ROUNDING * float(np.abs(data.rows).max())
    white, back = whiten(data)
    drawn = _draws(data.rows.shape[1], _count_draws(rows, groups, len(names)), generator)
    inside = np.concatenate([discriminants(white), drawn[: len(drawn) // 2]])
    tried = np.concatenate([unit(inside @ back), discriminants(data), drawn])
    margins = data.margins(tried)
    if 1 < len(names) <= MOST_IMPROVED and margins.max() <= tiny:
        tried = np.concatenate([tried, _improve(data, white, back, tried)])
        margins = data.margins(tried)
    chosen = _choose(data, tried, margins, tiny)
    best, margin = tried[chosen], float(margins[chosen])
    lows, highs = (end[:, 0] + best @ rows.mean(axis=0) for end in data.ends(best[None]))
    order = np.argsort(lows, kind="stable")
    return SeparatingDirection(
        torch.from_numpy(best),
        tuple(int(names[group]) for group in order),
        torch.from_numpy(np.stack([lows, highs], axis=1)[order]),
        margin,
        data.parted_pairs(best),
        margin > tiny,
        len(tried),
    )


def _choose(data: GroupedRows, tried: Floats, margins: Floats, tiny: float) -> int:
    """Return the direction with the largest margin, or, if none parts all, that parts most."""
    best = int(margins.argmax())
    if margins[best] > tiny:
        return best
    lows, highs = data.ends(tried)
    lengths = highs.max(axis=0) - lows.min(axis=0)
    relative = np.where(lengths > tiny, margins / np.where(lengths > tiny, lengths, 1), -np.inf)
    some = np.argsort(-relative, kind="stable")[:N_COMPARED]
    return int(some[np.argmax([data.parted_pairs(tried[place]) for place in some])])


def _count_draws(rows: Floats, groups: Integers, n_subclasses: int) -> int:
    diameter, distance = max_ball_diameter(rows, groups), min_distance(rows, groups)
    if n_subclasses == 1 or diameter == 0:
        return FEWEST_DRAWS
    fraction = bad_fraction(n_subclasses, rows.shape[1], distance / diameter)
    if fraction == 1:
        return 2 * FEWEST_DRAWS
    needed = math.log(RISK) / math.log(max(fraction, RISK))
    return min(max(FEWEST_DRAWS, math.ceil(needed)), MOST_DRAWS)


def _draws(n_features: int, n_draws: int, generator: torch.Generator) -> Floats:
    if n_features == 1:
        return np.ones((1, 1))
    drawn = torch.randn(n_draws, n_features, generator=generator, dtype=torch.float64)
    return unit(drawn.numpy())


def _improve(data: GroupedRows, white: GroupedRows, back: Floats, tried: Floats) -> Floats:
    """Return better directions than those `tried`: by descent, then by linear programs."""
    # The same directions, whitened.
    inside: Floats = np.linalg.solve(back @ back.T, back @ tried.T).T.astype(np.float64)
    lengths = np.linalg.norm(inside, axis=1)
    scores = data.margins(tried) / lengths
    starts = unit(inside[np.argsort(-scores, kind="stable")[:N_STARTS]])
    turned = descend(white, starts)
    best = turned[np.argsort(-white.margins(turned), kind="stable")]
    better = unit(best @ back)
    if data.margins(better).max() > 0:
        return better
    return np.concatenate([better, unit(fit_orders(white, best) @ back)])
