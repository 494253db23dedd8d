"""The distance between convex hulls, which diffusion never lowers (Proposition 1, corrected).

The paper says that L, the distance between subclasses, never falls. For sets of points that is not
so: it holds for the distance between their convex hulls, of which L is an upper bound.
"""

import math
from itertools import combinations

import numpy as np
import torch
from numpy.linalg import norm
from scipy.optimize import nnls

from diffresnet._support.checks import as_points, fail
from diffresnet._support.types import Array
from diffresnet.theory.grouped_points import Floats, split_groups

GAP = 1e-10
"""How far, relative to its square, the squared distance may be above its lower bound."""

MEETING = 1e-11
"""Hulls that are nearer than this, relative to the size of the points, meet."""


def hull_distance(left: Array, right: Array) -> float:
    """Return the distance between the convex hulls of two sets of points.

    It is the least norm in the hull of all differences a - b. The nearest point of a few of these,
    the columns of P, is found by SciPy's non-negative least squares: the x >= 0 with the least
    |P x|^2 + (1'x - 1)^2 is a multiple of the weights of the nearest point v of their hull. Then
    the difference that lies farthest against v joins them, until none does: v.p >= v.v for all
    differences p proves that v is nearest, and how far it is from that bounds the error.

    Args:
        left: (n, d) points.
        right: (m, d) points.

    Returns:
        The distance, right to about 10 digits; 0 where the hulls meet.

    Raises:
        ValueError: if a set is not a finite (n, d) array, or they have different numbers of
            features.

    Examples:
        >>> square = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
        >>> round(hull_distance(square, torch.tensor([[3.0, -1.0], [3.0, 3.0]])), 9)
        2.0
    """
    sets = [as_points("hull_distance", rows).detach().to(torch.float64) for rows in (left, right)]
    shapes = [tuple(rows.shape) for rows in sets]
    if any(len(shape) != 2 for shape in shapes) or shapes[0][1] != shapes[1][1]:
        must, got = "two sets (n, d) and (m, d)", f"shapes {shapes[0]} and {shapes[1]}"
        fail("hull_distance", "points", must, got, "Give both as many features.")
    return _distance(*(rows.cpu().numpy() for rows in sets))


def min_hull_distance(points: Array, subclasses: Array) -> float:
    """Return the smallest distance between the convex hulls of two subclasses.

    It is at most L (`min_distance`), and up to `max_convex_step_size` no step of diffusion within
    the subclasses lowers it.

    Args:
        points: (N, d).
        subclasses: (N,) integers; points with the same one are in the same subclass.

    Returns:
        The distance; infinity where there is only one subclass.

    Raises:
        ValueError: if `points` is not a finite (N, d) array or `subclasses` not N integers.

    Examples:
        >>> min_hull_distance(torch.tensor([[0.0], [1.0], [3.0]]), torch.tensor([0, 0, 1]))
        2.0
    """
    rows, groups, names = split_groups("min_hull_distance", points, subclasses)
    sets = [rows[groups == group] for group in range(len(names))]
    centers = [some.mean(axis=0) for some in sets]
    pairs = zip(sets, centers, strict=True)
    radii = [norm(some - center, axis=1).max() for some, center in pairs]
    pairs = list(combinations(range(len(sets)), 2))
    # Balls around the hulls tell which pairs cannot be nearer than one that is known.
    bounds = [float(norm(centers[i] - centers[j]) - radii[i] - radii[j]) for i, j in pairs]
    smallest = math.inf
    for bound, (i, j) in sorted(zip(bounds, pairs, strict=True)):
        if smallest == 0 or bound >= smallest:
            break
        smallest = min(smallest, _distance(sets[i], sets[j]))
    return smallest


def _distance(left: Floats, right: Floats) -> float:
    middle = (left.mean(axis=0) + right.mean(axis=0)) / 2
    left, right = left - middle, right - middle
    size = float(max(np.abs(left).max(), np.abs(right).max()))
    if size == 0:
        return 0.0
    left, right = left / size, right / size
    corners = (left[0] - right[0])[:, None]
    nearest = corners[:, 0]
    while float(norm(nearest)) > MEETING:
        corner = left[np.argmin(left @ nearest)] - right[np.argmax(right @ nearest)]
        squared = float(nearest @ nearest)
        if squared - float(nearest @ corner) <= GAP * squared:
            return size * math.sqrt(squared)
        corners = np.column_stack([corners, corner])
        weights = _nearest_weights(corners)
        before, nearest = squared, corners @ weights
        if float(nearest @ nearest) >= before:  # as near as rounding lets it come
            return size * math.sqrt(before)
        corners = corners[:, weights > 0]
    return 0.0


def _nearest_weights(corners: Floats) -> Floats:
    """Return the weights of the point nearest to 0 in the hull of the columns."""
    # The nearer the point, the more digits its distance needs: measure it in its own size.
    scale = max(float(norm(corners, axis=0).min()), MEETING)
    system = np.vstack([corners / scale, np.ones(corners.shape[1])])
    goal = np.zeros(len(system))
    goal[-1] = 1.0
    weights = nnls(system, goal)[0]
    return np.asarray(weights / weights.sum(), dtype=np.float64)
