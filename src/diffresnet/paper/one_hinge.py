"""Theorem 1 as the paper's proof has it, one hinge a region: it fails, and this shows where."""

import numpy as np

from diffresnet._support.types import Array
from diffresnet.theory import Flow, SeparatingDirection, max_diameter
from diffresnet.theory.flow import write_flow
from diffresnet.theory.grouped_points import split_groups
from diffresnet.theory.hinges import Hinges, orthogonal_direction


def build_one_hinge_flow(
    points: Array, subclasses: Array, labels: Array, width: int, found: SeparatingDirection
) -> Flow:
    """Write down the network of Appendix B to the letter: M hinges, "just as M data points".

    A hinge begins at the right end of the region before, the farthest that the proof allows, and
    its slope brings the middle of the region to the level of its class; levels are 2 D apart, so
    that intervals longer than D have room. The proof overlooks that points of a region left and
    right of its middle are moved by different amounts, the more the steeper the hinges before.

    Args:
        points: (N, d), d at least 2.
        subclasses: (N,) integers.
        labels: (N,) integers, the same within a subclass.
        width: w.
        found: a direction that parts the subclasses.

    Returns:
        The network, its classifier, and a report that tells how many points are wrong.
    """
    rows, groups, names = split_groups("build_one_hinge_flow", points, subclasses)
    _, of_point, classes = split_groups("build_one_hinge_flow", points, labels, "labels")
    direction = found.direction.numpy()
    shift = orthogonal_direction(direction)
    heights, ends = rows @ shift, found.intervals.numpy()
    step = 2 * max_diameter(points, subclasses) or 1.0
    levels = [float(heights.mean()) + step * which for which in range(len(classes))]
    knots = [float(ends[0, 0] - np.ptp(ends) / len(ends)), *map(float, ends[:-1, 1])]
    slopes: list[float] = []
    for region, name in enumerate(found.order):
        mine = groups == int(np.flatnonzero(names == name)[0])
        middle = float(ends[region].mean())
        now = float(heights[mine].min() + heights[mine].max()) / 2
        moved = sum(s * (middle - k) for s, k in zip(slopes, knots, strict=False))
        wanted = levels[int(of_point[mine][0])] - now - moved
        slopes.append(wanted / (middle - knots[region]))
    hinges = Hinges(direction, shift, knots, slopes)
    return write_flow(points, of_point, classes, hinges, levels, width=width)
