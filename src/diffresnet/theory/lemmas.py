"""The paper's Lemmas 1 and 2: one point a subclass, one hinge a point (Appendix B)."""

import numpy as np
import torch

from diffresnet._support.checks import check_count, fail
from diffresnet._support.types import Array
from diffresnet.theory.directions import find_separating_direction
from diffresnet.theory.flow import Flow, write_flow
from diffresnet.theory.grouped_points import Floats, split_groups
from diffresnet.theory.hinges import Hinges, orthogonal_direction


def build_point_flow(points: Array, labels: Array, width: int = 1) -> Flow:
    """Write down a network that puts every point on the level of its class (Lemmas 1 and 2).

    w* gives all points different places A_1 < A_2 < ... A hinge that begins at B_i, after A_{i-1}
    and before A_i, moves point i and all that follow, and its slope is chosen so that beta*.x_i is
    exactly the level C of its class; the following hinges do not touch it any more. With width 1 it
    takes N layers (Lemma 1), with width w ceil(N / w) (Lemma 2).

    Here B_i = A_{i-1}: the slopes then are those of the line through neighboring points. With B_i
    close to A_i, or several points a region, they grow without bound.

    Args:
        points: (N, d), d at least 2, no two of them equal.
        labels: (N,) integers, the class of each point.
        width: w, of the hidden layer of a block.

    Returns:
        The network, in the dtype of `points`, its classifier, and a report with 2N + 2d variables.

    Raises:
        ValueError: if an argument is out of range or of another shape; if there is one feature
            only; if points coincide.

    Examples:
        >>> points = torch.tensor([[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0]])
        >>> flow = build_point_flow(points, torch.tensor([0, 0, 1, 1]))
        >>> flow.report.n_layers, flow.report.n_variables, flow.report.separates
        (4, 12, True)
    """
    width = check_count("build_point_flow", "width", width, low=1)
    rows, of_point, classes = split_groups("build_point_flow", points, labels, "labels")
    if rows.shape[1] == 1:
        remedy = "Append a column of zeros."
        fail("build_point_flow", "points", "of two features or more", "one feature", remedy)
    found = find_separating_direction(rows, torch.arange(len(rows)))
    if not found.found:
        must, remedy = "different from each other", "Remove duplicates."
        fail("build_point_flow", "points", must, "some that coincide", remedy)
    direction = found.direction.numpy()
    shift = orthogonal_direction(direction)
    heights = rows @ shift
    step = max(2 * float(np.ptp(heights)), float(np.ptp(rows @ direction))) or 1.0
    levels = [float(heights.mean()) + step * which for which in range(len(classes))]
    knots, slopes = _interpolate(rows @ direction, np.array(levels)[of_point] - heights)
    hinges = Hinges(direction, shift, knots, slopes)
    return write_flow(points, of_point, classes, hinges, levels, width=width)


def _interpolate(places: Floats, wanted: Floats) -> tuple[list[float], list[float]]:
    """Return knots and slopes of hinges that add up to `wanted` at `places`."""
    order = np.argsort(places)
    places, wanted = places[order], wanted[order]
    before = places[0] - (float(np.ptp(places)) / len(places) or 1.0)
    knots = np.append(before, places[:-1])
    slopes = np.diff(wanted, prepend=0.0) / np.diff(places, prepend=before)
    return knots.tolist(), np.diff(slopes, prepend=0.0).tolist()
