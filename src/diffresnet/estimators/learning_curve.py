"""How the accuracy grows with labels: refits with some of them, judged by the others."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import softmax

from diffresnet.estimators.accuracy import ExpectedAccuracy, expect_accuracy, mean_confidence
from diffresnet.estimators.held_out import Floats, HeldOut
from diffresnet.estimators.solution import Solution
from diffresnet.learning.labels import UNLABELED

Rows = npt.NDArray[np.int64]

N_FOLDS = 4
TRAINED_FOLDS = (
    ((0,), (1,), (2,), (3,)),
    ((0, 1), (2, 3), (0, 2), (1, 3)),
    ((0, 1, 2), (1, 2, 3), (2, 3, 0), (3, 0, 1)),
)
"""Which folds are learned from, at a quarter, at half and at three quarters of the labels."""

EXPONENTS = (0.25, 0.5, 1.0)
"""Of the power law; each is believed as far as it fits."""

WIDEST = 0.35
"""A wider interval of the accuracy says nothing of what more labels would do."""

LEAST_GAIN = 0.02
"""Twice the labels help if they are worth so much."""


@dataclass(frozen=True)
class LearningCurve:
    """The accuracy on points without a label that is expected with fewer labels, and with more.

    Attributes:
        n_labels: (m,) numbers of labels, the last one as many as there are.
        accuracy: (m,) that is expected with that number.
        interval: (m, 2) of 95 %.
        expected_at_double: the accuracy with twice the labels, by the power law
            a - b n^-c that fits the others: a guess, and with few labels a rough one.
    """

    n_labels: tuple[int, ...]
    accuracy: tuple[float, ...]
    interval: tuple[tuple[float, float], ...]
    expected_at_double: float

    @property
    def sentences(self) -> tuple[str, ...]:
        """What it says, one sentence each."""
        steps = ", ".join(
            f"{value:.0%} with {n}" for n, value in zip(self.n_labels, self.accuracy, strict=True)
        )
        said = f"The accuracy to expect, by the number of labels: {steps}."
        low, high = self.interval[-1]
        if high - low > WIDEST:
            return said, "So few labels do not tell whether more would help; they often do."
        gain = self.expected_at_double - self.accuracy[-1]
        helps = "would help" if gain >= LEAST_GAIN else "would hardly help"
        return said, f"Twice the labels {helps}: some {self.expected_at_double:.0%} would be right."

    def __str__(self) -> str:
        return "\n".join(self.sentences)


def measure_curve(
    refit: Callable[[Rows], Solution],
    encoded: Rows,
    held_out: HeldOut,
    weights: Floats,
    *,
    expected: ExpectedAccuracy,
    seen_part: float,
    seed: int,
) -> LearningCurve:
    """Learn from a quarter, half and three quarters of the labels, each four times.

    Every class keeps a label. Every label that can be held out is judged as often as the others.

    Args:
        refit: what is learned from (N,) classes, -1 for none.
        encoded: (N,) all labels.
        held_out: those that can be held out.
        weights: (n,) of these.
        expected: the accuracy with all labels.
        seen_part: see `expect_accuracy`.
        seed: of the folds.
    """
    folds, n_labels = _fold(encoded, seed), int((encoded != UNLABELED).sum())
    found: dict[int, ExpectedAccuracy] = {}
    for trained in TRAINED_FOLDS:
        trials = [_try(refit, encoded, held_out, _keep(encoded, folds, one)) for one in trained]
        trials = [one for one in trials if one.judged.any()]
        size = round(np.mean([one.n_labels for one in trials])) if trials else n_labels
        if size < n_labels:
            n_judged = np.sum([one.judged for one in trials], axis=0)
            right = np.sum([one.right for one in trials], axis=0)
            rows = n_judged > 0
            sure = [one.confidence for one in trials if one.confidence is not None]
            confidence = float(np.mean(sure)) if sure else None
            often = right[rows] / n_judged[rows]
            found[size] = expect_accuracy(often, weights[rows], confidence, seen_part)
    found[n_labels] = expected
    accuracy = tuple(one.value for one in found.values())
    intervals = tuple(one.interval for one in found.values())
    doubled = accuracy[-1] + extrapolate_gain(tuple(found), accuracy, intervals)
    return LearningCurve(tuple(found), accuracy, intervals, min(1.0, doubled))


def extrapolate_gain(
    n_labels: Sequence[int], accuracy: Sequence[float], intervals: Sequence[tuple[float, float]]
) -> float:
    """Return what twice the last number of labels is worth, by the power law a - b n^-c.

    For each of a few c, a and b are those of weighted least squares, with b not negative and a at
    most 1; the mean of their answers is weighed by how well they fit.

    Examples:
        >>> curve = [1 - 1 / n for n in (5, 10, 20)]
        >>> near = [(value - 1e-6, value + 1e-6) for value in curve]
        >>> round(extrapolate_gain([5, 10, 20], curve, near), 6)
        0.025
    """
    sizes, values = np.array(n_labels, dtype=np.float64), np.array(accuracy)
    weights = np.array([((high - low) / 4) ** -2 for low, high in intervals])
    gains, losses = list[float](), list[float]()
    for exponent in EXPONENTS:
        powers = sizes**-exponent
        moved = powers - np.average(powers, weights=weights)
        spread = float(weights @ moved**2)
        slope = max(0.0, -float((weights * moved) @ values) / spread) if spread > 0 else 0.0
        limit = float(np.average(values + slope * powers, weights=weights))
        if limit > 1:
            limit, slope = 1.0, float((weights * powers) @ (1 - values) / (weights @ powers**2))
        losses.append(float(weights @ (values - limit + slope * powers) ** 2))
        gains.append(slope * (1 - 2**-exponent) * float(powers[-1]))
    return float(np.average(gains, weights=softmax(-np.array(losses) / 2)))


@dataclass(frozen=True)
class _Trial:
    """A refit with some labels: which labels judged it, which were right, and how sure it was."""

    n_labels: int
    judged: npt.NDArray[np.bool_]
    right: npt.NDArray[np.bool_]
    confidence: float | None


def _try(
    refit: Callable[[Rows], Solution], encoded: Rows, held_out: HeldOut, fewer: Rows
) -> _Trial:
    judged = fewer[held_out.rows] == UNLABELED
    n_labels = int((fewer != UNLABELED).sum())
    if not judged.any():
        return _Trial(n_labels, judged, judged, None)
    solution = refit(fewer)
    answers = solution.probabilities[held_out.rows].argmax(axis=1)
    right = judged & (answers == held_out.classes)
    return _Trial(
        n_labels, judged, right, mean_confidence(solution.probabilities, solution.reached, encoded)
    )


def _fold(encoded: Rows, seed: int) -> Rows:
    """Return the fold of each label, (N,): those of a class are spread over all of them."""
    generator = np.random.default_rng(seed)
    folds = np.full(len(encoded), UNLABELED)
    for one in np.unique(encoded[encoded != UNLABELED]):
        own = generator.permutation(np.flatnonzero(encoded == one))
        folds[own] = (np.arange(len(own)) + generator.integers(N_FOLDS)) % N_FOLDS
    return folds


def _keep(encoded: Rows, folds: Rows, trained: tuple[int, ...]) -> Rows:
    """Return the labels of some folds; of a class that has none there, one of the others."""
    fewer = np.where(np.isin(folds, trained), encoded, UNLABELED)
    classes, firsts = np.unique(encoded, return_index=True)
    missing = (classes != UNLABELED) & ~np.isin(classes, fewer)
    fewer[firsts[missing]] = classes[missing]
    return fewer
