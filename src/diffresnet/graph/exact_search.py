"""Exhaustive neighbor search, exact up to rounding.

Everything is decided in float64. Squared distances come from one matrix product where that is exact
enough, and from subtraction where the product cancels. In a large set a product in float32, twice
as fast, chooses candidates first, and a bound on its error tells for which rows it may have missed
a neighbor.
"""

import math
from functools import partial
from threading import local
from typing import NamedTuple

import torch
from torch import Tensor

from diffresnet._support.threads import share
from diffresnet.graph.distances import BLOCK_SIZE, CANCELLATION, subtract_again
from diffresnet.graph.smallest import smallest

CLOSE = CANCELLATION[torch.float64]

DIRECT_FEATURES = 16
"""Up to this many features, distances by subtraction cost no more than by matrix product."""

SINGLE_FACTOR = 512
"""From this many points a candidate on, it pays to choose candidates in float32."""

SPARE_CANDIDATES = 8
"""How many candidates more than neighbors are chosen in float32."""


class Neighbors(NamedTuple):
    """The nearest neighbors of each point, nearest first, the point itself the very first.

    `distances` are plain (not squared) Euclidean distances. Both have shape (N, n_neighbors) or
    (T, N, n_neighbors).
    """

    distances: Tensor
    indices: Tensor


def search_sets(sets: Tensor, n_neighbors: int) -> Neighbors:
    """Find the neighbors of every point within its own set (T, N, d), a block of rows at a time."""
    n_sets, n_points, n_features = sets.shape
    # Between 1 and 2 in size, squares neither overflow nor vanish; a power of two changes no digit.
    exponent = math.frexp(float(sets.abs().max()))[1] - 1
    half = exponent // 2  # the power itself may be out of range
    sets = sets.to(torch.float64) * 2.0**-half * 2.0 ** (half - exponent)
    every_row = torch.arange(n_points, device=sets.device)
    first, *others = every_row.split(max(1, BLOCK_SIZE // (n_sets * n_points)))
    if n_features > DIRECT_FEATURES:
        search = _ProductSearch(sets, n_neighbors)
        found = [search.start(first), *share(search, others)]
    else:
        direct = partial(_search_directly, sets, n_neighbors)
        found = [direct(first), *share(direct, others)]
    distances = torch.cat([near.distances for near in found], dim=1)
    indices = torch.cat([near.indices for near in found], dim=1)
    return Neighbors(distances * 2.0**half * 2.0 ** (exponent - half), indices)


def _centered(sets: Tensor) -> Tensor:
    """Move the point nearest to the mean of each set to the origin.

    Small norms keep the product formula exact, and an origin among the points keeps integers
    integers, so that equal distances stay equal.
    """
    means = sets.mean(dim=1, keepdim=True)
    offsets = torch.linalg.vecdot(sets, sets) - 2 * (sets @ means.mT).squeeze(-1)
    middle = offsets.argmin(dim=1)
    return sets - sets[torch.arange(len(sets), device=sets.device), middle].unsqueeze(1)


def _search_directly(sets: Tensor, n_neighbors: int, rows: Tensor) -> Neighbors:
    """Search for `rows` by subtraction: exact, but slow for many features."""
    distances = torch.cdist(sets[:, rows], sets, compute_mode="donot_use_mm_for_euclid_dist")
    return _select(distances, rows, n_neighbors)[0]


class _ProductSearch:
    """Search by matrix product, and again by subtraction where the product cancels."""

    def __init__(self, sets: Tensor, n_neighbors: int) -> None:
        self.given = sets  # not centered: what is subtracted must not be rounded before
        self.sets = _centered(sets)
        self.norms = torch.linalg.vecdot(self.sets, self.sets)
        self.n_neighbors = n_neighbors
        n_sets, n_points, n_features = sets.shape
        # The float32 product errs by at most this part of |x|^2 + |y|^2, whatever its order of
        # summation: each of d products, of the factors and of the sum, by at most 2^-24. That
        # holds for float32 proper, not for the shorter formats that torch may be told to use.
        self.single_error = (n_features + 6) * 2.0**-24 / (1 - n_features * 2.0**-24)
        n_candidates = n_neighbors + SPARE_CANDIDATES
        large = n_sets == 1 and n_points > max(SINGLE_FACTOR, 1) * n_candidates
        proper = torch.get_float32_matmul_precision() == "highest"
        in_range = float(self.norms.max()) > 1e-20
        self.single = self.sets[0].float() if large and proper and in_range else None
        self.memory = local()  # of each thread

    def start(self, rows: Tensor) -> Neighbors:
        """Search for the first rows, which tell whether float32 helps."""
        near, n_doubtful = self._search(rows)
        if n_doubtful > len(rows) / 4:  # as where many distances are equal: no gain
            self.single = None
        return near

    def __call__(self, rows: Tensor) -> Neighbors:
        return self._search(rows)[0]

    def _search(self, rows: Tensor) -> tuple[Neighbors, int]:
        """Return the neighbors, and for how many rows float32 was not enough."""
        if self.single is None:
            return self._search_in_double(rows), 0
        near, doubtful = self._search_in_single(self.single, rows)
        n_doubtful = int(doubtful.sum())
        if n_doubtful > 0:
            again = self._search_in_double(rows[doubtful])
            near.distances[:, doubtful], near.indices[:, doubtful] = again
        return near, n_doubtful

    def _search_in_single(self, single: Tensor, rows: Tensor) -> tuple[Neighbors, Tensor]:
        """Choose candidates in float32; tell for which rows one may be missing."""
        block = self._memory(rows, single)[0]
        torch.addmm(self.norms[0].float(), single[rows], single.mT, alpha=-2, out=block)
        block[torch.arange(len(rows), device=rows.device), rows] = -torch.inf
        chosen = smallest(block, self.n_neighbors + SPARE_CANDIDATES)
        norms = self.norms[0]
        exact = norms[chosen] - 2 * self._products(rows, chosen)
        exact[chosen == rows.unsqueeze(-1)] = -torch.inf
        near = by_distance(exact, chosen)
        last, following = near.distances[:, self.n_neighbors - 1 : self.n_neighbors + 1].unbind(1)
        own, left_out = norms[rows], block.gather(1, chosen[:, -1:])[:, 0]
        # A point with a squared norm above 16 times this is farther away than the last neighbor, by
        # the triangle inequality. The others err by no more than that allows.
        reach = own + (last + own).clamp(min=0)
        error = self.single_error * (own + 16 * reach) + 1e-30
        doubtful = (last >= left_out - error) | _too_close(following, own)
        distances, indices = (part[:, : self.n_neighbors].unsqueeze(0) for part in near)
        return self._finish(rows, distances, indices), doubtful

    def _products(self, rows: Tensor, indices: Tensor) -> Tensor:
        """Return x.y in float64 for each row and its candidates (R, n), in bounded memory."""
        points = self.sets[0]
        n_rows = max(1, BLOCK_SIZE // (indices.shape[1] * points.shape[1]))
        parts = zip(rows.split(n_rows), indices.split(n_rows), strict=True)
        products = [points[near] @ points[some].unsqueeze(-1) for some, near in parts]
        return torch.cat(products).squeeze(-1)

    def _search_in_double(self, rows: Tensor) -> Neighbors:
        block = self._memory(rows, self.sets)
        norms = self.norms.unsqueeze(1)
        torch.baddbmm(norms, self.sets[:, rows], self.sets.mT, alpha=-2, out=block)
        near, following = _select(block, rows, self.n_neighbors)
        near = self._finish(rows, *near)
        crowded = _too_close(following, self.norms[:, rows])
        for which in crowded.any(dim=1).nonzero().flatten().tolist():
            mine = crowded[which]
            again = self._search_crowd(which, rows[mine], block[which, mine])
            near.distances[which, mine], near.indices[which, mine] = again
        return near

    def _search_crowd(self, which: int, rows: Tensor, reduced: Tensor) -> Neighbors:
        """Search by subtraction among the points too close to the rows of one set."""
        own = self.norms[which, rows].unsqueeze(-1)
        close = (reduced + own < 4 * CLOSE * own).unsqueeze(0)
        squared = reduced.fill_(torch.inf).unsqueeze(0)
        every = torch.arange(squared.shape[-1], device=rows.device).expand_as(squared)
        subtract_again(squared, close, self.given[which : which + 1], rows, every)
        near, _ = _select(squared, rows, self.n_neighbors)
        return Neighbors(near.distances[0].sqrt(), near.indices[0])

    def _memory(self, rows: Tensor, points: Tensor) -> Tensor:
        """Return memory for a block; asking for it each time costs as much as the product."""
        n_sets, n_points, _ = self.sets.shape
        name = str(points.dtype)
        block: Tensor | None = getattr(self.memory, name, None)
        if block is None or block.shape[1] < len(rows):
            block = points.new_empty(n_sets, len(rows), n_points)
            setattr(self.memory, name, block)
        return block[:, : len(rows)]

    def _finish(self, rows: Tensor, reduced: Tensor, indices: Tensor) -> Neighbors:
        """Turn |y|^2 - 2 x.y into distances, by subtraction where points are too close for it."""
        own = self.norms[:, rows].unsqueeze(-1)
        theirs = self.norms.gather(1, indices.flatten(1)).view_as(indices)
        squared = (reduced + own).clamp(min=0)
        close = squared < CLOSE * (own + theirs)
        close[..., 0] = False  # the point itself
        subtract_again(squared, close, self.given, rows, indices)
        distances = squared.sqrt()
        distances[..., 0] = -torch.inf
        near = by_distance(distances, indices)
        near.distances[..., 0] = 0
        return near


def _too_close(following: Tensor, own: Tensor) -> Tensor:
    """Tell where the one after the last neighbor is so close that the product may mistake them."""
    return following + own < 2.1 * CLOSE * own


def _select(values: Tensor, rows: Tensor, n_smallest: int) -> tuple[Neighbors, Tensor]:
    """Return the smallest of `values` (T, R, N) in each row, in order, and the one that follows.

    The row's own column comes first, as 0, then equal values in the order of their columns. The
    one that follows is infinite where there is none. `values` is overwritten.
    """
    n_points = values.shape[-1]
    values[:, torch.arange(len(rows), device=rows.device), rows] = -torch.inf
    found = values.topk(min(n_smallest + 1, n_points), dim=-1, largest=False)
    indices = found.indices[..., :n_smallest]
    if n_smallest == n_points:
        following = torch.full_like(values[..., 0], torch.inf)
    else:
        # `topk` does not say which of equal values it takes: take the first columns instead.
        last, following = found.values[..., n_smallest - 1 :].unbind(dim=-1)
        tied = last == following
        if tied.any():
            chosen = first_smallest(values[tied], last[tied].unsqueeze(-1), n_smallest)
            indices[tied] = chosen.nonzero()[:, 1].view(-1, n_smallest)
    near = by_distance(values.gather(-1, indices), indices)
    near.distances[..., 0] = 0
    return near, following


def first_smallest(values: Tensor, last: Tensor, n_smallest: int) -> Tensor:
    """Tell which are the smallest of their row, up to `last` (..., 1); of equal ones, the first."""
    near = values <= last
    if int(near.sum()) == near.numel() // near.shape[-1] * n_smallest:
        return near
    below, equal = values < last, values == last
    missing = n_smallest - below.sum(dim=-1, keepdim=True)
    return below | (equal & (equal.cumsum(dim=-1) <= missing))


def nearest_of(candidates: Tensor, points: Tensor, block: Tensor, n_kept: int) -> Neighbors:
    """Return the nearest of the candidates (n, c) of each point of a block (n, d)."""
    apart = (points[candidates].to(block) - block.unsqueeze(1)).norm(dim=2)
    near = apart.sort(dim=1, stable=True)
    return Neighbors(near.values[:, :n_kept], candidates.gather(1, near.indices[:, :n_kept]))


def by_distance(distances: Tensor, indices: Tensor) -> Neighbors:
    """Sort each row by distance, then by index."""
    by_index = indices.argsort(dim=-1)
    distances, indices = distances.gather(-1, by_index), indices.gather(-1, by_index)
    order = distances.argsort(dim=-1, stable=True)
    return Neighbors(distances.gather(-1, order), indices.gather(-1, order))
