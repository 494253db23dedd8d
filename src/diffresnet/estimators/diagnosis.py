"""How healthy the graph is, in numbers and in sentences."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import numpy.typing as npt
import torch

from diffresnet._support.types import FoundBy
from diffresnet._support.words import N_NAMED, count
from diffresnet.estimators.accuracy import ExpectedAccuracy
from diffresnet.estimators.copies import Copies
from diffresnet.estimators.learning_curve import LearningCurve
from diffresnet.estimators.repeated import find_contradictions
from diffresnet.estimators.solution import Solution
from diffresnet.graph import matrix as mx
from diffresnet.graph.recall import N_EXACT
from diffresnet.measuring.homophily import Homophily, label_homophily

N_CLASSES_NAMED = 10


@dataclass(frozen=True)
class Diagnosis:
    """What was found; `sentences` says it in words, and `str` joins them.

    Attributes:
        n_points: of the graph.
        n_labeled: points that have a label.
        n_copies: rows that are equal to an earlier one, or differ from it by rounding only.
        n_contradictions: groups of equal rows whose labels differ.
        outliers: rows that are far from all others in a feature.
        n_components: connected components.
        n_unlabeled_components: components without any label.
        n_unreached: points in such components.
        label_homophily: how often labeled neighbors have equal labels, beside chance; None if
            fewer than five pairs of labeled points are neighbors.
        mean_links: links of a point on average.
        n_isolated: points without any link.
        max_stable_step_size: steps below it never let the energy grow.
        step_size: that was used.
        strength: that was used.
        remarks: of the solver.
        single_label_classes: classes with one label only.
        unpredicted_classes: classes that no point without a label is predicted to have, though five
            or more would be if they were as common as among the labels.
        expected_accuracy: on the points without a label that a label reaches, as held-out labels
            say; None if none could be held out.
        expected_accuracy_interval: of 95 %.
        curve: how the accuracy grew with labels, if that was measured.
        found_by: ``"exact"`` or ``"cells"``, the search that found the neighbors, or ``"given"``;
            None if a graph was given.
        recall: the part of the nearest neighbors of 1,000 points, or of all if there are fewer,
            that the graph links them with, in either direction; 1 after an exact search, None if
            the search was not ours.
    """

    n_points: int
    n_labeled: int
    n_copies: int
    n_contradictions: int
    outliers: tuple[int, ...]
    n_components: int
    n_unlabeled_components: int
    n_unreached: int
    label_homophily: Homophily | None
    mean_links: float
    n_isolated: int
    max_stable_step_size: float
    step_size: float
    strength: float
    remarks: tuple[str, ...]
    single_label_classes: tuple[str, ...]
    unpredicted_classes: tuple[str, ...]
    expected_accuracy: float | None = None
    expected_accuracy_interval: tuple[float, float] | None = None
    curve: LearningCurve | None = None
    found_by: FoundBy | None = None
    recall: float | None = None

    @property
    def sentences(self) -> tuple[str, ...]:
        """The findings, one sentence each."""
        found = [
            f"{self.n_labeled} of {self.n_points} points have a label.",
            f"A point has {self.mean_links:.1f} links on average.",
        ]
        if self.found_by == "cells" and self.recall is not None:
            n_exact = min(N_EXACT, self.n_points - self.n_copies)
            found.append(
                f"Neighbors were searched for approximately (in {self.found_by}): "
                f"{self.recall:.1%} of those of {n_exact:,} points were found."
            )
        found.extend(self._about_rows())
        if self.n_isolated:
            found.append(f"Without any link: {count(self.n_isolated, 'point')}.")
        if self.n_components == 1:
            found.append("The graph is connected: labels can reach every point.")
        else:
            found.append(f"The graph has {self.n_components} connected components.")
        if self.n_unlabeled_components:
            found.append(
                f"Without any label: {self.n_unlabeled_components:,} of them, with "
                f"{count(self.n_unreached, 'point')}; these get the class prior. Label one of "
                "each, raise n_top, or add links to a graph of your own."
            )
        if self.label_homophily is not None:
            found.append(str(self.label_homophily))
        if self.single_label_classes:
            names = _name_some(self.single_label_classes, N_CLASSES_NAMED)
            found.append(f"One label only: {names}. A second one each would help most.")
        if self.unpredicted_classes:
            names = _name_some(self.unpredicted_classes, N_CLASSES_NAMED)
            found.append(
                f"Predicted nowhere: {names}. If there are such points, label a few more of them."
            )
        if self.accuracy_sentence is not None:
            found.append(self.accuracy_sentence)
        if self.curve is not None:
            found.extend(self.curve.sentences)
        found.append(
            f"Diffusion has the strength {self.strength:g}: the larger, the farther labels spread."
        )
        return (*found, *self.remarks)

    @property
    def accuracy_sentence(self) -> str | None:
        """The one of `sentences` about the accuracy to expect; None if that is not known."""
        if self.expected_accuracy is None or self.expected_accuracy_interval is None:
            return None
        low, high = (f"{100 * end:.0f}" for end in self.expected_accuracy_interval)
        reached = " that a label reaches" if self.n_unreached else ""
        return (
            f"About {self.expected_accuracy:.0%} of the points without a label{reached} are right "
            f"({low} to {high}%), as held-out labels say."
        )

    def _about_rows(self) -> list[str]:
        found: list[str] = []
        if self.n_copies:
            found.append(
                f"Rows that repeat others, exactly or but for rounding: {self.n_copies:,}. "
                "Such rows are one point."
            )
        if self.n_contradictions:
            found.append(
                f"Equal rows have different labels ({count(self.n_contradictions, 'group')}): "
                "their features do not decide it. Copies without a label get a probability."
            )
        if self.outliers:
            rows = _name_some(self.outliers, N_NAMED)
            found.append(
                f"Far from all others in some feature: row {rows}, counted from 0. See "
                "whether these numbers are right; they do not set the scale of the others."
            )
        return found

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    def _repr_html_(self) -> str:
        """Return the sentences as a list, for notebooks; names of classes are text, not HTML."""
        return f"<ul>{''.join(f'<li>{escape(one)}</li>' for one in self.sentences)}</ul>"


def _name_some(names: Sequence[object], n_named: int) -> str:
    more = "" if len(names) <= n_named else " and others"
    return ", ".join(map(str, names[:n_named])) + more


def find_unpredicted(
    predicted: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Return the classes that are predicted nowhere.

    They are left out if fewer than five points would be of them, were they as common as among the
    labels.

    Args:
        predicted: (n,) the classes of points without a label that a label reaches.
        counts: (K,) of the labels.
    """
    is_absent = np.bincount(predicted, minlength=len(counts)) == 0
    return np.flatnonzero(is_absent & (counts * len(predicted) >= 5 * counts.sum()))


def diagnose(
    solution: Solution,
    copies: Copies,
    given: npt.NDArray[np.int64],
    classes: npt.NDArray[np.generic],
    *,
    expected: ExpectedAccuracy | None = None,
    curve: LearningCurve | None = None,
    recall: float | None = None,
) -> Diagnosis:
    """Look at the graph and the labels.

    Args:
        solution: of a fit.
        copies: which rows are equal, but for rounding.
        given: (N,) the class of each row, -1 without a label.
        classes: what they are.
        expected: the accuracy that held-out labels speak for, if any could be held out.
        curve: how the accuracy grew with labels, if that was measured.
        recall: of the neighbors, if the search was ours.
    """
    encoded = copies.merge(given, len(classes))
    operator, components = solution.points.operator, solution.points.components
    space = solution.points.space
    weights = operator.weights
    rows, columns, values = mx.rows_of(weights), weights.col_indices().long(), weights.values()
    off = (rows != columns) & (values > 0)
    counts = np.bincount(given[given >= 0], minlength=len(classes))
    homophily = None
    if counts.max(initial=0) > 1:  # with one label per class none can be equal
        ends = rows.numpy(), columns.numpy()
        homophily = label_homophily(*ends, values.numpy(), encoded)
    links = torch.bincount(rows[off], minlength=operator.n_points)
    labeled = np.unique(components[encoded >= 0])
    unreached = ~np.isin(components, labeled)
    is_asked = (encoded < 0) & ~unreached
    unpredicted = np.empty(0, dtype=np.int64)
    if len(classes):
        label_counts = np.bincount(encoded[encoded >= 0], minlength=len(classes))
        answers = solution.probabilities.argmax(axis=1)[is_asked]
        unpredicted = find_unpredicted(answers, label_counts)
    return Diagnosis(
        n_points=len(given),
        n_labeled=int((given >= 0).sum()),
        n_copies=copies.n_copies,
        n_contradictions=len(find_contradictions(copies, given, solution)),
        outliers=()
        if space is None
        else tuple(sorted(copies.first[space.outliers.numpy()].tolist())),
        n_components=int(components.max()) + 1,
        n_unlabeled_components=int(components.max()) + 1 - len(labeled),
        n_unreached=int(unreached.sum()),
        label_homophily=homophily,
        mean_links=float(links.double().mean()),
        n_isolated=int((links == 0).sum()),
        max_stable_step_size=operator.max_stable_step_size,
        step_size=solution.strength.step_size,
        strength=solution.strength.value,
        remarks=solution.solved.remarks,
        single_label_classes=tuple(str(one) for one in classes[counts == 1]),
        unpredicted_classes=tuple(str(one) for one in classes[unpredicted]),
        expected_accuracy=None if expected is None else expected.value,
        expected_accuracy_interval=None if expected is None else expected.interval,
        curve=curve,
        found_by=solution.points.found_by,
        recall=recall,
    )
