"""Nearest neighbors of one set of points, or of a batch of sets."""

from typing import get_args

import torch
from torch import Tensor

from diffresnet._support.checks import as_points, check_choice, check_count, fail
from diffresnet._support.types import Array, FoundBy, Search
from diffresnet.graph.cell_search import can_search_cells, search_cells
from diffresnet.graph.exact_search import Neighbors, search_sets

BATCH_SIZE = 2**19
"""How many float64 numbers (4 MB, about a cache) of many small sets are worked on at a time."""


def nearest_neighbors(points: Array, n_neighbors: int, *, search: Search = "exact") -> Neighbors:
    """Find the `n_neighbors` nearest points of every point, itself counted as the first.

    The exact search is exhaustive and decides in float64, so it is right up to rounding, also for
    float32 points that almost coincide. Among distances that are equal to the last bit the lower
    index comes first, but a point always precedes its own duplicates. Memory is bounded: no N x N
    matrix is made. No gradient flows to `points`.

    ``search="approximate"`` looks among the points of nearby cells only, and the time it saves
    grows with the root of N. It finds nearly all neighbors of points that lie near surfaces of few
    dimensions, as those of real data mostly do, and half of them if the points fill many dimensions
    evenly. What it finds are at their right distances; only nearer ones may be missing. Below
    16,384 points, where little is gained, it is exact.

    Args:
        points: (N, d), or (T, N, d) for T separate sets; torch or numpy. Integers become float64.
        n_neighbors: between 1 and N.
        search: ``"exact"``, or ``"approximate"`` for one large set.

    Raises:
        ValueError: if `points` is empty, not 2-D or 3-D, not finite, or so large that squared
            distances overflow, or if `n_neighbors` is out of range.

    Examples:
        >>> near = nearest_neighbors(torch.tensor([[0.0], [1.0], [3.0]]), n_neighbors=2)
        >>> near.indices.tolist()
        [[0, 1], [1, 0], [2, 1]]
        >>> near.distances.tolist()
        [[0.0, 1.0], [0.0, 1.0], [0.0, 2.0]]
    """
    return search_neighbors("nearest_neighbors", "n_neighbors", points, n_neighbors, search)


def kth_distances(points: Array, rank: int) -> Tensor:
    """Return the distance from every point to its `rank`-th nearest, itself counted as the first.

    Args:
        points: (N, d) or (T, N, d); torch or numpy.
        rank: between 1 (which gives 0) and N.

    Returns:
        A tensor of shape (N,) or (T, N).

    Raises:
        ValueError: as `nearest_neighbors`.

    Examples:
        >>> kth_distances(torch.tensor([[0.0], [1.0], [3.0]]), rank=3)
        tensor([3., 2., 3.])
    """
    return search_neighbors("kth_distances", "rank", points, rank).distances[..., -1]


def name_search(search: Search, n_points: int, n_neighbors: int) -> FoundBy:
    """Return which search finds the neighbors, if this one is asked for."""
    if search == "approximate" and can_search_cells(n_points, n_neighbors):
        return "cells"
    return "exact"


def search_neighbors(
    function: str, argument: str, points: Array, n_neighbors: int, search: Search = "exact"
) -> Neighbors:
    """Do the work of `nearest_neighbors` for a `function` whose `argument` says how many."""
    given = as_points(function, points).detach()
    n_points = given.shape[-2]
    n_neighbors = check_count(
        function, argument, n_neighbors, low=1, high=n_points, of="the number of points"
    )
    check_choice(function, "search", search, get_args(Search))
    if search == "approximate":
        if given.ndim == 3:
            remedy = "Search batches of sets with search='exact'."
            fail(function, "points", "one set, (N, d)", f"shape {tuple(given.shape)}", remedy)
        if name_search(search, n_points, n_neighbors) == "cells":
            return search_cells(given, n_neighbors)
    sets = given if given.ndim == 3 else given.unsqueeze(0)
    n_sets = max(1, BATCH_SIZE // (n_points * max(sets.shape[1:])))
    found = [search_sets(some, n_neighbors) for some in sets.split(n_sets)]
    shape = (*given.shape[:-1], n_neighbors)
    distances = torch.cat([near.distances for near in found]).to(given.dtype)
    indices = torch.cat([near.indices for near in found])
    return Neighbors(distances.reshape(shape), indices.reshape(shape))
