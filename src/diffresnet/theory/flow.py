"""A residual network that makes classes linearly separable, written down (Theorem 1, corrected)."""

import math
from dataclasses import asdict, dataclass
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn

from diffresnet._support.checks import FLOAT_DTYPES, as_points, check_count, fail
from diffresnet._support.types import Array
from diffresnet.theory.directions import SeparatingDirection, find_separating_direction
from diffresnet.theory.grouped_points import Floats, Integers, check_grouped, split_groups
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
        return {k: v if math.isfinite(v) else None for k, v in asdict(self).items()}


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
    classes, of_point = _classes(points, groups, labels)
    if rows.shape[1] == 1 and len(classes) > 1:
        remedy = "Append a column of zeros."
        fail("build_flow", "points", "of two features or more", "one feature", remedy)
    if found is None:
        found = find_separating_direction(points, subclasses)
    if not found.found:
        remedy = "Diffuse the points first, or take smaller subclasses."
        must = "such that some direction parts the subclasses"
        fail("build_flow", "points", must, str(found), remedy)
    _check_direction(rows, groups, names.tolist(), found)
    place = {int(name): group for group, name in enumerate(names)}
    first = np.unique(groups, return_index=True)[1]
    of_region = [int(of_point[first[place[name]]]) for name in found.order]
    given = as_points("build_flow", points).detach()
    network, classifier = _write(given, found, of_region, len(classes), width)
    n_changes = int(np.count_nonzero(np.diff(of_region)))
    report = measure_flow(network, classifier, given, of_point, n_hinges=2 * n_changes)
    return Flow(network, classifier, tuple(int(label) for label in classes), report)


def _check_direction(
    rows: Floats, groups: Integers, names: list[int], found: SeparatingDirection
) -> None:
    """Refuse a direction that does not part these subclasses as it says."""
    ends = found.intervals.numpy()
    place = {name: region for region, name in enumerate(found.order)}
    fits = sorted(place) == names and len(found.direction) == rows.shape[1]
    if fits:
        regions = np.array([place[name] for name in names])[groups]
        along = rows @ found.direction.numpy()
        slack = 1e-9 * float(np.abs(ends).max(initial=0.0) + np.abs(rows).max())
        low, high = ends[regions, 0] - slack, ends[regions, 1] + slack
        fits = bool(((along >= low) & (along <= high)).all())
    if not fits:
        remedy = "Search it for these points, or leave it out."
        must = "the direction of these points and subclasses"
        fail("build_flow", "found", must, "one of others", remedy)


def _classes(points: Array, groups: Integers, labels: Array) -> tuple[Integers, Integers]:
    """Return the labels there are, and the place among them of each point's label."""
    _, numbers = check_grouped("build_flow", points, labels, "labels")
    classes, of_point = np.unique(numbers.cpu().numpy(), return_inverse=True)
    pairs = np.unique(np.stack([groups, of_point], axis=1), axis=0)
    if len(pairs) > groups.max() + 1:
        got = f"{len(pairs) - int(groups.max()) - 1} more than one a subclass"
        remedy = "Split subclasses by class, as `find_subclasses` does."
        fail("build_flow", "labels", "the same within a subclass", got, remedy)
    return classes.astype(np.int64), of_point.astype(np.int64)


def _write(
    points: Tensor,
    found: SeparatingDirection,
    of_region: list[int],
    n_classes: int,
    width: int,
) -> tuple[nn.Sequential, nn.Linear]:
    """Return the network and its classifier."""
    dtype = points.dtype if points.dtype in FLOAT_DTYPES else torch.float64
    direction = found.direction.numpy()
    if n_classes == 1:
        return nn.Sequential(), nearest_level(direction, [0.0], dtype)
    shift = orthogonal_direction(direction)
    heights = points.double().cpu().numpy() @ shift
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
    network = hinge_network(Hinges(direction, shift, knots, slopes), width, dtype)
    return network, nearest_level(shift, levels, dtype)


def measure_flow(
    network: nn.Sequential,
    classifier: nn.Linear,
    points: Tensor,
    of_point: Integers,
    *,
    n_hinges: int,
) -> FlowReport:
    """Run a network on points, and see what it does to them."""
    with torch.no_grad():
        moved = network(points.cpu())
        best = classifier(moved).argmax(dim=1).numpy()
    return FlowReport(
        n_hinges,
        len(network),
        2 * n_hinges + 2 * points.shape[1],
        _margin(moved, classifier, of_point),
        int((best != of_point).sum()),
    )


def _margin(moved: Tensor, classifier: nn.Linear, of_point: Integers) -> float:
    """Return the smallest gap between classes along the normal of the classifier's planes."""
    if classifier.out_features == 1:
        return math.inf
    normal = (classifier.weight[1] - classifier.weight[0]).detach().double()
    heights = (moved.double() @ (normal / normal.norm())).numpy()
    ends = [(heights[of_point == c].min(), heights[of_point == c].max()) for c in set(of_point)]
    ordered = sorted(ends)
    return float(min(b[0] - a[1] for a, b in pairwise(ordered)))
