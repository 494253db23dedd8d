"""Structured data (Section 4.1): L, the distance between subclasses, and D, their diameter.

The paper defines both with squared norms and uses them without; here they are plain norms.
"""

import torch
from torch import Tensor

from diffresnet._support.checks import fail
from diffresnet._support.types import Array
from diffresnet.theory.grouped_points import check_grouped

BLOCK_SIZE = 2**22
"""How many distances are in memory at a time."""


def min_distance(points: Array, subclasses: Array) -> float:
    """Return L, the smallest distance between points of different subclasses.

    Args:
        points: (N, d).
        subclasses: (N,) integers; points with the same one are in the same subclass.

    Returns:
        The distance; infinity where there is only one subclass.

    Raises:
        ValueError: if `points` is not a finite (N, d) array or `subclasses` not N integers.

    Examples:
        >>> min_distance(torch.tensor([[0.0], [1.0], [3.0]]), torch.tensor([0, 0, 1]))
        2.0
    """
    rows, groups = check_grouped("min_distance", points, subclasses)
    smallest, size = torch.inf, max(1, BLOCK_SIZE // len(rows))
    for some, their_groups in zip(rows.split(size), groups.split(size), strict=True):
        distances = _distances(some, rows)
        distances[their_groups.unsqueeze(1) == groups] = torch.inf
        smallest = min(smallest, float(distances.min()))
    return smallest


def max_diameter(points: Array, subclasses: Array) -> float:
    """Return D, the largest distance between points of the same subclass.

    Args:
        points: (N, d).
        subclasses: (N,) integers; points with the same one are in the same subclass.

    Returns:
        The diameter; 0 where every subclass has one point.

    Raises:
        ValueError: if `points` is not a finite (N, d) array or `subclasses` not N integers.

    Examples:
        >>> max_diameter(torch.tensor([[0.0], [1.0], [3.0]]), torch.tensor([0, 0, 1]))
        1.0
    """
    rows, groups = check_grouped("max_diameter", points, subclasses)
    largest = 0.0
    for group in groups.unique():
        members = rows[groups == group]
        for some in members.split(max(1, BLOCK_SIZE // len(members))):
            largest = max(largest, float(_distances(some, members).max()))
    return largest


def distance_diameter_ratio(points: Array, subclasses: Array) -> float:
    """Return L / D, which diffusion makes grow (Proposition 1).

    Args:
        points: (N, d).
        subclasses: (N,) integers; points with the same one are in the same subclass.

    Returns:
        The ratio; infinity where D is 0, and L is not or there is only one subclass.

    Raises:
        ValueError: as `min_distance`; if both L and D are 0, so that there is no ratio.

    Examples:
        >>> distance_diameter_ratio(torch.tensor([[0.0], [1.0], [3.0]]), torch.tensor([0, 0, 1]))
        2.0
    """
    distance, diameter = min_distance(points, subclasses), max_diameter(points, subclasses)
    if diameter > 0:
        return distance / diameter
    if distance == 0:
        remedy = "Remove duplicates with different subclasses."
        got = "single points, some of which coincide"
        fail("distance_diameter_ratio", "points", "apart or in groups", got, remedy)
    return torch.inf


def _distances(left: Tensor, right: Tensor) -> Tensor:
    return torch.cdist(left, right, compute_mode="donot_use_mm_for_euclid_dist")
