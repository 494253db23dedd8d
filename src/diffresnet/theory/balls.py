"""Balls around the subclasses: assumption (A) of Section 4.1, on which Theorem 2 rests.

The paper asks that each subclass lies in a ball of diameter D, and concludes that its diameter is
at most D. The converse is not true: an equilateral triangle with sides D does not fit into one.
"""

import math

from diffresnet._support.checks import check_count
from diffresnet._support.types import Array
from diffresnet.theory.grouped_points import Floats, split_groups

N_ROUNDS = 400


def max_ball_diameter(points: Array, subclasses: Array) -> float:
    """Return the D of Theorem 2: every subclass lies in a ball of this diameter.

    The center moves toward the farthest point by ever smaller parts of the way (Badoiu and
    Clarkson, 2003), so that it stays in the hull. A ball of the result does hold every subclass;
    the smallest may be a few hundredths smaller.

    Args:
        points: (N, d).
        subclasses: (N,) integers; points with the same one are in the same subclass.

    Returns:
        The diameter, between `max_diameter` and that times `ball_factor`, up to these hundredths; 0
        where every subclass has one point.

    Raises:
        ValueError: if `points` is not a finite (N, d) array or `subclasses` not N integers.

    Examples:
        >>> import torch
        >>> triangle = torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.5, 0.75**0.5]])
        >>> round(max_ball_diameter(triangle, torch.zeros(3, dtype=torch.long)), 2)  # sides of 1
        1.15
    """
    rows, groups, names = split_groups("max_ball_diameter", points, subclasses)
    return 2 * max(_radius(rows[groups == group]) for group in range(len(names)))


def ball_factor(n_features: int) -> float:
    """Return how much wider than its diameter the ball around a set can be, sqrt(2d / (d + 1)).

    This is Jung's theorem: 1 on a line, 1.15 in the plane, less than sqrt(2) in all.

    Args:
        n_features: d.

    Raises:
        ValueError: if `n_features` is not positive.

    Examples:
        >>> ball_factor(1)
        1.0
    """
    n_features = check_count("ball_factor", "n_features", n_features, low=1)
    return math.sqrt(2 * n_features / (n_features + 1))


def _radius(rows: Floats) -> float:
    center, smallest = rows.mean(axis=0), math.inf
    for done in range(1, N_ROUNDS + 1):
        distances = ((rows - center) ** 2).sum(axis=1)
        farthest = int(distances.argmax())
        smallest = min(smallest, math.sqrt(float(distances[farthest])))
        center = center + (rows[farthest] - center) / (done + 1)
    return smallest
