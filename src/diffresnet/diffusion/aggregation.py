"""Smaller graphs like a given one, whose slow modes are a good guess of its own.

Points join random seeds through their strongest links (the aggregation of algebraic multigrid).
With P the indicators of these groups, P' L P is the Laplacian of the groups, each with a mass: the
number of its points. The slow modes of the two are alike. Groups of groups also give the points an
order in which linked ones are near to each other in memory.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

Ints = npt.NDArray[np.int32]
Masses = npt.NDArray[np.float64]

GROUP_SIZE = 4
"""Points of a group, on average."""

MOST_ROUNDS = 8
"""Links between a seed and the points of its group, at most."""

FEWEST_POINTS = 4096
"""Graphs of fewer points are not made smaller."""


@dataclass(frozen=True)
class Level:
    """A graph among graphs of fewer and fewer points.

    Attributes:
        laplacian: (N, N) in single precision, divided by the roots of the masses on both sides.
        masses: (N,) how many of the given points each one is.
        order: (N,) which number each point had before linked ones were brought together.
        group: (N,) rising: the point of the next graph that each is part of; none of the last.
    """

    laplacian: sparse.csr_array
    masses: Masses
    order: Ints
    group: Ints


def make_levels(laplacian: sparse.csr_array, fewest: int) -> list[Level]:
    """Return a graph with its points in a better order, and smaller ones like it.

    Args:
        laplacian: (N, N), symmetric, with the diagonal stored.
        fewest: points that the last graph must have.
    """
    laplacians, masses, groups = [laplacian], [np.ones(laplacian.shape[0])], list[Ints]()
    while len(masses[-1]) > FEWEST_POINTS:
        group = make_groups(laplacians[-1])
        n_groups = int(group.max()) + 1
        if n_groups < fewest or 2 * n_groups > len(group):
            break
        groups.append(group)
        laplacians.append(_join(laplacians[-1], group, n_groups))
        masses.append(np.bincount(group, masses[-1]).astype(np.float64))
    return _in_order(laplacians, masses, groups)


def make_groups(laplacian: sparse.csr_array) -> Ints:
    """Return the group (N,) of each point: that of a random seed, through the strongest links.

    Points that no seed reaches are groups of their own.
    """
    n_points = laplacian.shape[0]
    seeds = np.random.default_rng(0).permutation(n_points)[: max(1, n_points // GROUP_SIZE)]
    group = np.full(n_points, -1, dtype=np.int32)
    group[np.sort(seeds)] = np.arange(len(seeds), dtype=np.int32)
    alone = np.flatnonzero(group < 0)
    for _ in range(MOST_ROUNDS):
        if len(alone) == 0:
            break
        group[alone] = _strongest(laplacian[alone], group)
        alone = alone[group[alone] < 0]
    group[alone] = len(seeds) + np.arange(len(alone), dtype=np.int32)
    return group


def _strongest(rows: Any, group: Ints) -> Ints:
    """Return the group that each row has its strongest link to, -1 for none."""
    chosen = np.full(rows.shape[0], -1, dtype=np.int32)
    if rows.nnz == 0:
        return chosen
    theirs, counts = group[rows.indices], np.diff(rows.indptr)
    weights = np.where(theirs >= 0, -rows.data, 0)
    largest = np.zeros(len(chosen), dtype=weights.dtype)
    largest[counts > 0] = np.maximum.reduceat(weights, rows.indptr[:-1][counts > 0])
    found = np.flatnonzero((weights == np.repeat(largest, counts)) & (weights > 0))
    chosen[np.searchsorted(rows.indptr, found, side="right") - 1] = theirs[found]
    return chosen


def _join(laplacian: sparse.csr_array, group: Ints, n_groups: int) -> sparse.csr_array:
    """Return P' L P."""
    rows = np.repeat(group, np.diff(laplacian.indptr))
    places = rows, group[laplacian.indices]
    return sparse.coo_array((laplacian.data, places), shape=(n_groups, n_groups)).tocsr()


def _in_order(
    laplacians: list[sparse.csr_array], masses: list[Masses], groups: list[Ints]
) -> list[Level]:
    """Return the levels with points of the same group side by side, from the last one up."""
    order = place = np.arange(len(masses[-1]), dtype=np.int32)
    levels = [
        Level(_reordered(laplacians[-1], masses[-1], order, place), masses[-1], order, order[:0])
    ]
    for laplacian, mass, given in zip(
        laplacians[-2::-1], masses[-2::-1], groups[::-1], strict=True
    ):
        group = place[given]
        order = np.argsort(group, kind="stable").astype(np.int32)
        place = np.empty_like(order)
        place[order] = np.arange(len(order), dtype=np.int32)
        moved = _reordered(laplacian, mass[order], order, place)
        levels.append(Level(moved, mass[order], order, group[order]))
    return levels[::-1]


def _reordered(laplacian: Any, masses: Masses, order: Ints, place: Ints) -> sparse.csr_array:
    """Return M^-1/2 L M^-1/2 with its points in an order, whose inverse is `place`."""
    rows, factors = laplacian[order], (1 / np.sqrt(masses)).astype(np.float32)
    rows.indices = place[rows.indices].astype(rows.indices.dtype, copy=False)
    rows.data = rows.data.astype(np.float32, copy=False)
    rows.data *= np.repeat(factors, np.diff(rows.indptr))
    rows.data *= factors[rows.indices]
    rows.has_sorted_indices = False
    rows.sort_indices()
    return rows
