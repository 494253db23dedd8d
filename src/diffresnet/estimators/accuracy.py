"""How many of the points without a label are right, as far as held-out labels can tell."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from diffresnet.estimators.held_out import Floats, HeldOut
from diffresnet.estimators.solution import Solution
from diffresnet.learning.labels import UNLABELED, Labels
from diffresnet.learning.sampling import LabelSampling, proportions_beforehand
from diffresnet.measuring.statistics import wilson_interval

DEPENDENCE = 1.5
"""This number of held-out labels is worth one independent case: the weights were chosen by them."""

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ExpectedAccuracy:
    """What is expected of the answers for points without a label.

    Attributes:
        value: the accuracy.
        interval: of 95 %.
    """

    value: float
    interval: tuple[float, float]


def expect_accuracy(
    right: Floats, weights: Floats, confidence: float | None, seen_part: float
) -> ExpectedAccuracy:
    """Return the accuracy that held-out labels speak for.

    It is the mean of two numbers: how often held-out labels were found again, and the probability
    that the other points have for their answer. Two more labels, one right and one wrong, keep it
    modest where labels are few (Laplace). The interval is Wilson's.

    Args:
        right: (n,) whether, or how often, each label was found again when it was held out.
        weights: (n,) of the labels.
        confidence: the mean probability of the answers, None if every point has a label.
        seen_part: the part of all labels that could be held out; the others count as wrong.
    """
    accuracy = float(np.average(right, weights=weights))
    mean = accuracy if confidence is None else (accuracy + confidence) / 2
    mean *= seen_part
    n_cases = float(weights.sum() ** 2 / np.square(weights).sum())
    value = (n_cases * mean + 1) / (n_cases + 2)
    return ExpectedAccuracy(value, wilson_interval(mean, n_cases / DEPENDENCE))


def expect_held_out(
    held_out: HeldOut, weights: Floats, confidence: float | None, seen_part: float
) -> ExpectedAccuracy:
    """Return the accuracy that the held-out labels of a fit speak for.

    Args:
        held_out: the labels.
        weights: (n,) of them.
        confidence: see `expect_accuracy`.
        seen_part: see `expect_accuracy`.
    """
    right = held_out.probabilities.argmax(axis=1) == held_out.classes
    return expect_accuracy(right, weights, confidence, seen_part)


def mean_confidence(
    probabilities: Floats, reached: npt.NDArray[np.bool_], encoded: Rows
) -> float | None:
    """Return the mean probability of the answers for reached points without a label, if any.

    Args:
        probabilities: (N, K) of the points.
        reached: (N,) whether a label reaches them.
        encoded: (N,) their classes, -1 for none.
    """
    rows = reached & (encoded == UNLABELED)
    return float(probabilities[rows].max(axis=1).mean()) if rows.any() else None


def drawn_at_random(encoded: Rows, n_classes: int, sampling: LabelSampling) -> bool:
    """Tell whether the labeled points were drawn at random, or are taken for that."""
    return proportions_beforehand(Labels.of(encoded, n_classes), sampling).n_random > 0


def find_proportions(held_out: HeldOut, solution: Solution, *, at_random: bool) -> Floats:
    """Return how common the classes are, (K,), for the weights of held-out labels.

    Labels drawn at random are as common as their classes, and all weigh the same. Else it is what
    the probabilities of all points say.
    """
    if at_random:
        counts = np.bincount(held_out.classes, minlength=held_out.probabilities.shape[1])
        return counts / counts.sum()
    return solution.probabilities.mean(axis=0)


def find_seen_part(encoded: Rows, n_classes: int, *, at_random: bool) -> float:
    """Return the part of the labels that can be held out.

    The only label of a class cannot. If points were drawn at random, it would be wrong when held
    out, and as many points are of classes without any label (Good and Turing). Of labels drawn per
    class it says nothing, and all are taken for seen.
    """
    if not at_random:
        return 1.0
    return float(Labels.of(encoded, n_classes).can_be_held_out.double().mean())
