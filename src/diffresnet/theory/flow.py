"""A residual network that makes classes linearly separable, written down (Theorem 1, corrected)."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn

from diffresnet._support.checks import as_points, check_count, fail
from diffresnet._support.types import Array
from diffresnet._support.writing import finite
from diffresnet.theory.directions import SeparatingDirection, find_separating_direction
from diffresnet.theory.grouped_points import Floats, Integers, split_groups
from diffresnet.theory.hinges import Hinges, hinge_network, nearest_level, orthogonal_direction


@dataclass(frozen=True)
class FlowReport:
    """What was built, and what it does to the points.

    Attributes:
        n_hinges: 2K for K label changes from one region to the next along w*; N for Lemmas 1, 2.
        n_layers: residual blocks, ceil(n_hinges / width).
        n_variables: numbers to set: a knot and a slope for each hinge, w* and beta*.
        margin: the smallest gap between classes along beta* after the network, as computed in its
            dtype; infinite for one class.
        n_wrong: points that the linear classifier behind the network gets wrong.
    """

    n_hinges: int
    n_layers: int
    n_variables: int
    margin: float
    n_wrong: int

    @property
    def separates(self) -> bool:
        """Whether the linear classifier gets every point right."""
        return self.n_wrong == 0

    def to_json(self) -> dict[str, float | None]:
        """Return everything, for a file; an infinite margin becomes None."""
        return {name: finite(value) for name, value in asdict(self).items()}


@dataclass(frozen=True)
class Flow:
    """A residual network and the linear classifier behind it.

    Attributes:
        network: moves points, (N, d) to (N, d).
        classifier: linear; its best score is the class, by place in `classes`.
        classes: the labels, in order.
        report: what it does to the points it was built for.
    """

    network: nn.Sequential
    classifier: nn.Linear
    classes: tuple[int, ...]
    report: FlowReport

    def predict(self, points: Tensor) -> Tensor:
        """Return the label of each point (N, d), in the dtype of the network."""
        with torch.no_grad():
            best = self.classifier(self.network(points)).argmax(dim=1)
        return torch.tensor(self.classes, device=best.device)[best]


def build_flow(
    points: Array,
    subclasses: Array,
    labels: Array,
    width: int,
    *,
    found: SeparatingDirection | None = None,
) -> Flow:
    """Write down a residual network after which a linear classifier tells the classes (Theorem 1).

    Along w* the subclasses are disjoint intervals. For each change of label from one to the next,
    two hinges move all that follows along beta*, orthogonal to w*: one begins at the right end of
    the earlier region with the slope that reaches the level of the next class in the gap, the other
    undoes it at the left end of the later region. So the network adds a constant to each region,
    that of its class, and classes end on levels farther apart than the points are wide.

    The paper takes one hinge a region and intervals longer than D. That is not enough: a hinge that
    begins at a region also stretches it, and the following ones, by its slope.

    Args:
        points: (N, d), d at least 2.
        subclasses: (N,) integers; each subclass has points of one class.
        labels: (N,) integers, the class of each point.
        width: w, of the hidden layer of a block.
        found: a direction that parts the subclasses; by default it is searched.

    Returns:
        The network, in the dtype of `points`, its classifier, and a report.

    Raises:
        ValueError: if an argument is out of range or of another shape; if a subclass has points of
            two classes; if there is one feature only but more than one class; if no direction was
            found that parts the subclasses, or `found` is of other points.

    Examples:
        >>> points = torch.tensor([[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0]])
        >>> labels = torch.tensor([0, 0, 1, 1])
        >>> flow = build_flow(points, torch.arange(4), labels, width=2)
        >>> flow.predict(points).tolist(), 2 * flow.report.n_layers == flow.report.n_hinges
        ([0, 0, 1, 1], True)
    """
    width = check_count("build_flow", "width", width, low=1)
    rows, groups, names = split_groups("build_flow", points, subclasses)
    _, of_point, classes = split_groups("build_flow", points, labels, "labels")
    _check_classes(groups, of_point)
    if rows.shape[1] == 1 and len(classes) > 1:
        remedy = "Append a column of zeros."
        fail("build_flow", "points", "of two features or more", "one feature", remedy)
    if found is None:
        found = find_separating_direction(points, subclasses)
    if not found.found:
        remedy = "Diffuse the points first, or take smaller subclasses."
        must = "such that some direction parts the subclasses"
        fail("build_flow", "points", must, str(found), remedy)
    _check_direction(rows, groups, names, found)
    first = np.unique(groups, return_index=True)[1]
    of_region = of_point[first[np.searchsorted(names, found.order)]].tolist()
    hinges, levels = _place(rows, found, of_region, len(classes))
    return write_flow(points, of_point, classes, hinges, levels, width=width)


def _check_direction(
    rows: Floats, groups: Integers, names: Integers, found: SeparatingDirection
) -> None:
    """Refuse a direction that does not part these subclasses as it says."""
    ends = found.intervals.numpy()
    fits = sorted(found.order) == names.tolist() and len(found.direction) == rows.shape[1]
    if fits:
        regions = np.argsort(found.order)[groups]
        along = rows @ found.direction.numpy()
        slack = 1e-9 * float(np.abs(ends).max(initial=0.0) + np.abs(rows).max())
        low, high = ends[regions, 0] - slack, ends[regions, 1] + slack
        fits = bool(((along >= low) & (along <= high)).all())
    if not fits:
        remedy = "Search it for these points, or leave it out."
        must = "the direction of these points and subclasses"
        fail("build_flow", "found", must, "one of others", remedy)


def _check_classes(groups: Integers, of_point: Integers) -> None:
    """Refuse subclasses with points of several classes."""
    pairs = np.unique(np.stack([groups, of_point], axis=1), axis=0)
    if len(pairs) > groups.max() + 1:
        got = f"{len(pairs) - int(groups.max()) - 1} more than one a subclass"
        remedy = "Split subclasses by class, as `find_subclasses` does."
        fail("build_flow", "labels", "the same within a subclass", got, remedy)


def _place(
    rows: Floats, found: SeparatingDirection, of_region: list[int], n_classes: int
) -> tuple[Hinges, list[float]]:
    """Return the hinges that bring each region to the level of its class, and the levels."""
    direction = found.direction.numpy()
    if n_classes == 1:
        return Hinges(direction, direction, [], []), [0.0]
    shift = orthogonal_direction(direction)
    heights = rows @ shift
    middle = float(heights.max() + heights.min()) / 2
    step = max(2 * float(np.ptp(heights)), float(np.ptp(found.intervals.numpy())))
    knots: list[float] = []
    slopes: list[float] = []
    for region in range(1, len(of_region)):
        change = of_region[region] - of_region[region - 1]
        if change != 0:
            left, right = float(found.intervals[region - 1, 1]), float(found.intervals[region, 0])
            slope = change * step / (right - left)
            knots += [left, right]
            slopes += [slope, -slope]
    levels = [middle + step * (which - of_region[0]) for which in range(n_classes)]
    return Hinges(direction, shift, knots, slopes), levels


def write_flow(
    points: Array,
    of_point: Integers,
    classes: Integers,
    hinges: Hinges,
    levels: Sequence[float],
    *,
    width: int,
) -> Flow:
    """Write down a network and its classifier, and see what they do to the points."""
    given = as_points("write_flow", points).detach().cpu()
    network = hinge_network(hinges, width, given.dtype)
    classifier = nearest_level(hinges.shift, levels, given.dtype)
    with torch.no_grad():
        moved = network(given)
        best = classifier(moved).argmax(dim=1).numpy()
    n_hinges, n_wrong = len(hinges.knots), int((best != of_point).sum())
    n_variables = 2 * n_hinges + 2 * given.shape[1]
    margin = _margin(moved, classifier, of_point)
    report = FlowReport(n_hinges, len(network), n_variables, margin, n_wrong)
    return Flow(network, classifier, tuple(classes.tolist()), report)


def _margin(moved: Tensor, classifier: nn.Linear, of_point: Integers) -> float:
    """Return the smallest gap between classes along the normal of the classifier's planes."""
    if classifier.out_features == 1:
        return math.inf
    normal = (classifier.weight[1] - classifier.weight[0]).detach().double()
    heights = (moved.double() @ (normal / normal.norm())).numpy()
    ends = [(heights[of_point == c].min(), heights[of_point == c].max()) for c in set(of_point)]
    return float(min(b[0] - a[1] for a, b in pairwise(sorted(ends))))
