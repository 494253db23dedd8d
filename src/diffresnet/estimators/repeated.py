"""Equal rows whose labels differ: how sure one label is of the other copies of its row.

Where the labels of equal rows never differ, one of them speaks for all copies. Where they do, as in
surveys with few questions, a copy without a label has class k with the probability

    (c_k + a q_k) / (c + a),

with c_k of the c labels of the point being k, and q what is predicted without them. The weight a is
the one of a few with the largest likelihood of these labels, each held out from the others.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from diffresnet.estimators.copies import Copies
from diffresnet.estimators.held_out import Floats, HeldOut
from diffresnet.estimators.solution import Solution
from diffresnet.learning.labels import UNLABELED

Rows = npt.NDArray[np.int64]

WEIGHTS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
"""Of what is predicted without the labels of a point, in numbers of labels."""


@dataclass(frozen=True)
class RepeatedLabels:
    """Labels of equal rows, some of which differ.

    Attributes:
        rows: (n,) the labeled rows.
        classes: (n,) their classes.
        point: (n,) the place of each among the labeled points.
        counts: (P, K) how many labels of each class a labeled point has.
        predicted: (P, K) probabilities of the classes, learned without the labels of the point.
        can_be_held_out: (P,) whether they were; else they are how common the classes are.
        weight: of what is predicted.
    """

    rows: Rows
    classes: Rows
    point: Rows
    counts: Floats
    predicted: Floats
    can_be_held_out: npt.NDArray[np.bool_]
    weight: float

    @classmethod
    def find(cls, copies: Copies, encoded: Rows, solution: Solution) -> "RepeatedLabels | None":
        """Return the labels, or None if those of equal rows never differ.

        Args:
            copies: which rows are equal.
            encoded: (N,) the class of each row, -1 for none.
            solution: what was learned from the most common label of each point.
        """
        rows = np.flatnonzero(encoded != UNLABELED)
        if copies.n_copies == 0 or len(rows) == 0:
            return None
        points, point = np.unique(copies.point[rows], return_inverse=True)
        classes, n_classes = encoded[rows], solution.probabilities.shape[1]
        counts = np.zeros((len(points), n_classes))
        np.add.at(counts, (_same_place(points, solution)[point], classes), 1)
        counts = counts[_same_place(points, solution)]
        if not ((counts > 0).sum(axis=1) > 1).any():
            return None
        predicted = np.tile(solution.probabilities.mean(axis=0, dtype=np.float64), (len(points), 1))
        is_known = np.zeros(len(points), dtype=bool)
        if solution.held_out is not None:
            held = solution.held_out
            is_known = np.isin(points, held.rows)
            order = np.argsort(held.rows)
            at = order[np.searchsorted(held.rows, points[is_known], sorter=order)]
            predicted[is_known] = held.probabilities[at]
        given = rows, classes, point, counts, predicted, is_known
        weight = max(WEIGHTS, key=lambda tried: cls(*given, tried)._likelihood())
        return cls(*given, weight)

    def give(self, probabilities: Floats, copies: Copies) -> Floats:
        """Return the probabilities of all rows, (N, K): labels are kept, other copies in doubt.

        Args:
            probabilities: (N, K) of the rows, in which a label speaks for all copies.
            copies: which rows are equal.
        """
        found = probabilities.copy()
        places = np.full(len(copies.first), -1)
        places[copies.point[self.rows]] = self.point
        place = places[copies.point]
        is_copy = place >= 0
        found[is_copy] = self._mix(self.counts, place[is_copy])
        found[self.rows] = np.eye(found.shape[1])[self.classes]
        return found

    @property
    def held_out(self) -> HeldOut:
        """The labels, each held out from all others, of rows."""
        own = np.eye(self.counts.shape[1])[self.classes]
        others = self.counts[self.point] - own
        is_known = (others.sum(axis=1) > 0) | self.can_be_held_out[self.point]
        found = self._mix(others, slice(None), self.predicted[self.point])
        return HeldOut(self.rows[is_known], self.classes[is_known], found[is_known])

    def _mix(self, counts: Floats, at: Any, predicted: Floats | None = None) -> Floats:
        predicted = self.predicted if predicted is None else predicted
        mixed = counts[at] + self.weight * predicted[at]
        return mixed / mixed.sum(axis=1, keepdims=True)

    def _likelihood(self) -> float:
        """The logarithm of that of labels which are not alone, each held out from the others."""
        is_one_of_several = self.counts.sum(axis=1)[self.point] > 1
        own = np.eye(self.counts.shape[1])[self.classes]
        found = self._mix(self.counts[self.point] - own, slice(None), self.predicted[self.point])
        likely = (found * own).sum(axis=1)[is_one_of_several]
        return float(np.log(np.maximum(likely, 1e-12)).sum())


def give_rows(
    copies: Copies, encoded: Rows, solution: Solution
) -> tuple[RepeatedLabels | None, Floats]:
    """Return labels of equal rows that differ, if any do, and the probabilities of all rows (N, K).

    Args:
        copies: which rows are equal.
        encoded: (N,) the class of each row, -1 for none.
        solution: what was learned from the most common label of each point.
    """
    probabilities = solution.probabilities[copies.point]
    found = RepeatedLabels.find(copies, encoded, solution)
    return found, probabilities if found is None else found.give(probabilities, copies)


def find_contradictions(
    copies: Copies, encoded: Rows, solution: Solution
) -> tuple[tuple[int, ...], ...]:
    """Return the labeled rows of each group of equal rows whose labels differ.

    Args:
        copies: which rows are equal.
        encoded: (N,) the class of each row, -1 for none.
        solution: of the fit, which knows where the points are.
    """
    points = solution.points
    return copies.contradictions(encoded, None if points.has_own_graph else points.points)


def _same_place(points: Rows, solution: Solution) -> Rows:
    """Return a number of each labeled point; points of one place have the same.

    A row whose class would be lost is a point of its own, beside its equals.
    """
    places = solution.points.points
    if places is None or solution.points.has_own_graph:
        return np.arange(len(points))
    return np.unique(places[points].numpy(), axis=0, return_inverse=True)[1].reshape(-1)
