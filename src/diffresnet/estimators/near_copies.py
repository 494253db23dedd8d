"""Points that differ by rounding only: found by grids along a few random axes, in little memory."""

from typing import Any

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[Any]

ROUNDING = 1e-3
"""Points on the unit sphere that are nearer are one: so far does float16 move them."""

N_SPACED = 100
SPACED = 10.0
"""Points whose neighbors are nearer than this number of roundings are no copies, but dense."""

N_AXES = 4
N_SHIFTS = 3
"""Near copies are searched in the cells of this number of grids."""

CELL = 4.0
"""The width of a cell, in units of `ROUNDING`."""

LEEWAY = 1.01
"""Rounding moves the places of two copies along an axis apart by no more, in the same units."""

N_NEAREST = 4
"""Points of a block, the nearest in single precision, whose distance is measured in double."""

BLOCK = 2**14
"""Points that are worked on at a time."""


def find_leaders(points: Floats, lengths: Floats) -> Rows:
    """Return the point that stands for each, (N,): itself, or a near copy before it.

    Points are projected on a few random axes; those in one cell of a grid there are compared with
    the first of them. Of copies that a grid cuts apart, the next one, shifted, finds most.

    Args:
        points: (N, d) of length one.
        lengths: (N,) that they had before.
    """
    generator = np.random.default_rng(0)
    axes = generator.standard_normal((points.shape[1], N_AXES))
    shown = points @ (axes / np.linalg.norm(axes, axis=0)).astype(points.dtype)
    factors = generator.integers(1, 2**62, N_AXES)
    leaders = np.arange(len(points))
    for _ in range(N_SHIFTS):
        heads = np.unique(leaders)
        cells = np.floor(shown[heads] / (CELL * ROUNDING) + generator.random(N_AXES))
        keys = (cells.astype(np.int64) * factors).sum(axis=1)  # it may overflow: a key is a key
        _, firsts, places = np.unique(keys, return_index=True, return_inverse=True)
        others = heads[firsts[places]]
        own, first = heads[others != heads], others[others != heads]
        close = np.abs(lengths[own] - lengths[first]) <= ROUNDING * lengths[first]
        own, first = own[close], first[close]
        # No axis shows points farther apart than they are: most are told apart without the rest.
        close = (np.abs(shown[own] - shown[first]) <= LEEWAY * ROUNDING).all(axis=1)
        own, first = own[close], first[close]
        close = _gaps(points, own, first) <= ROUNDING
        following = np.arange(len(points))
        following[own[close]] = first[close]
        leaders = following[leaders]
    return leaders


def _gaps(points: Floats, own: Rows, first: Rows) -> Floats:
    """Return the distances between pairs of points."""
    blocks = [slice(start, start + BLOCK) for start in range(0, len(own), BLOCK)]
    found = [np.linalg.norm(points[own[some]] - points[first[some]], axis=1) for some in blocks]
    return np.concatenate([np.zeros(0), *found])


def are_dense(points: Floats, rows: Rows) -> bool:
    """Tell whether different points are hardly farther apart than rounding moves them.

    Args:
        points: (N, d).
        rows: which of them are different.
    """
    if len(rows) < 2:
        return False
    seen = rows[np.random.default_rng(0).permutation(len(rows))[:N_SPACED]]
    return float(np.median(_nearest_gaps(points, rows, seen))) < SPACED * ROUNDING


def _nearest_gaps(points: Floats, rows: Rows, seen: Rows) -> Floats:
    """Return how far some of the rows are from the nearest other one."""
    own, nearest = points[seen], np.full(len(seen), np.inf)
    for start in range(0, len(rows), BLOCK):
        some = rows[start : start + BLOCK]
        block = points[some]
        sizes = np.square(block).sum(axis=1) - 2 * (own @ block.T)
        sizes[seen[:, None] == some] = np.inf  # a point itself
        n_kept = min(N_NEAREST, len(some))
        kept = np.argpartition(sizes, n_kept - 1, axis=1)[:, :n_kept]
        gaps = np.linalg.norm(block[kept].astype(np.float64) - own[:, None], axis=2)
        gaps[np.isinf(np.take_along_axis(sizes, kept, axis=1))] = np.inf
        nearest = np.minimum(nearest, gaps.min(axis=1))
    return nearest
