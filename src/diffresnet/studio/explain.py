"""Where a prediction comes from: labeled points, and the links over which they reach a point.

The share of a label is what diffusion carries from it to the point; as weights are symmetric, it is
what one unit of heat on the point leaves on the label. The way is the shortest path, by the weights
of its links.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from diffresnet.estimators import DiffResNetClassifier
from diffresnet.graph import matrix as mx
from diffresnet.learning.labels import UNLABELED

MOST_SOURCES = 5
LEAST_SHARE = 0.02


@dataclass(frozen=True)
class Witness:
    """A labeled point that speaks for a prediction.

    Attributes:
        row: of it.
        label: of it, as the classifier has it.
        share: of all that reaches the point.
        path: rows from it to the point.
    """

    row: int
    label: int
    share: float
    path: list[int]


def explain(model: DiffResNetClassifier, row: int) -> list[Witness]:
    """Return the labeled points from which most reaches a point, the largest share first.

    Args:
        model: prepared, with labels.
        row: of the point.
    """
    copies, points = model.copies_, model.solution_.points
    labeled = np.flatnonzero(model.encoded_labels_ != UNLABELED)
    own = int(copies.point[row])
    near = points.components[copies.point[labeled]] == points.components[own]
    labeled = labeled[near]
    if len(labeled) == 0:
        return []
    one = torch.zeros(points.operator.n_points, 1, dtype=points.operator.weights.dtype)
    one[own] = 1
    strength = model.solution_.strength
    heat = points.operator.diffuse(one, strength.step_size, strength.n_steps)[:, 0].numpy()
    carried = np.maximum(heat[copies.point[labeled]].astype(np.float64), 0)
    total = carried.sum()
    shares = carried / total if total > 0 else np.full(len(labeled), 1 / len(labeled))
    order = np.argsort(-shares, kind="stable")[:MOST_SOURCES]
    kept = [one for one in order if shares[one] >= LEAST_SHARE] or [order[0]]
    before = _paths_from(mx.to_scipy(points.operator.weights), own)
    return [
        Witness(
            int(labeled[one]),
            int(model.classes_[model.encoded_labels_[labeled[one]]]),
            float(shares[one]),
            _walk(before, int(copies.point[labeled[one]]), copies.first, int(labeled[one]), row),
        )
        for one in kept
    ]


def _paths_from(weights: sparse.csr_array, point: int) -> npt.NDArray[np.int32]:
    """Return the point before each one on its shortest path from `point`; links are 1 / weight."""
    lengths = sparse.csr_array(weights, copy=True)
    lengths.setdiag(0)
    lengths.eliminate_zeros()
    lengths.data = 1 / lengths.data.astype(np.float64)
    start = np.array([point])
    return dijkstra(lengths, directed=False, indices=start, return_predecessors=True)[1][0]


def _walk(
    before: npt.NDArray[np.int32], start: int, first: npt.NDArray[np.int64], source: int, row: int
) -> list[int]:
    """Return the rows from a labeled one to the point, through the first row of each point."""
    path, at = [source], int(before[start])
    while at >= 0 and int(before[at]) >= 0:
        path.append(int(first[at]))
        at = int(before[at])
    return path if source == row else [*path, row]
