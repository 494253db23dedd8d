"""How sure the classifier may be: scores are scaled until confidence is the accuracy to expect.

Few labels tell little of the accuracy, so there is an expectation beforehand: the more often
several ways to learn agree about points without a label, the higher. Held-out labels are then
counted beside it, as if it were the mean of `N_BEFOREHAND` labels.
"""

from itertools import combinations
from statistics import median

import torch
from torch import Tensor

SCALES = tuple(2.0 ** (step / 4) for step in range(-32, 33))
"""What scores may be multiplied by."""

N_BEFOREHAND = 10.0
"""The number of held-out labels that count as much as what is expected beforehand."""

STEEPNESS = 6.0
"""How much less agreement says where chance is often right; see `expect_from_agreement`."""


def confidence(scores: Tensor, weights: Tensor | None = None) -> float:
    """Return the mean of the largest probability over points with scores (n, K).

    Args:
        scores: logarithms of probabilities, but for a constant a row.
        weights: (n,) of the points, of sum 1; all alike if not given.
    """
    largest = scores.softmax(dim=1).amax(dim=1)
    return float(largest.mean() if weights is None else weights @ largest)


def match_confidence(scores: Tensor, target: float, weights: Tensor | None = None) -> float:
    """Return the scale that brings the confidence nearest to a target, above that of a guess.

    Examples:
        >>> scores = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
        >>> scale = match_confidence(scores, 0.9)
        >>> round(confidence(scale * scores), 1)
        0.9
    """
    target = max(target, 1 / scores.shape[1] + 0.01)
    return min(SCALES, key=lambda one: abs(confidence(one * scores, weights) - target))


def agreement_beyond_chance(predicted: Tensor, expected: Tensor) -> float:
    """Return how often ways to learn agree, beyond chance: the median of Cohen's kappa over pairs.

    The median leaves out what one way says that has learned nothing. To the points comes one more,
    about which all agree only as often as chance has it with the expected proportions: that a few
    points are all agreed on is no certainty.

    Args:
        predicted: (P, n) classes of points, by two ways or more.
        expected: (K,) proportions of the classes, beforehand.

    Examples:
        >>> even = torch.full((2,), 1 / 2).double()
        >>> agreement_beyond_chance(torch.tensor([[0, 0, 1, 1], [0, 0, 1, 1]]), even)
        0.8
        >>> agreement_beyond_chance(torch.tensor([[0, 0, 1, 1], [0, 1, 0, 1]]), even)
        0.0
    """
    n_points = predicted.shape[1]
    counts = torch.stack([torch.bincount(one, minlength=len(expected)) for one in predicted])
    proportions = (counts + expected) / (n_points + 1)
    found = []
    for one, other in combinations(range(len(predicted)), 2):
        by_chance = float(proportions[one] @ proportions[other])
        n_agreed = float((predicted[one] == predicted[other]).sum() + expected @ expected)
        found.append((n_agreed / (n_points + 1) - by_chance) / (1 - by_chance))
    return median(found)


def expect_from_agreement(agreement: float, proportions: Tensor) -> float:
    """Return the accuracy to expect where several ways to learn agree so often.

    It is c + (1 - c) a^(1 + `STEEPNESS` c) with the agreement a, where c is how often a random
    guess is right. Two ways to be wrong are seldom wrong alike if there are many classes; if there
    are two, both may well follow the same clusters, which need not be the classes.

    Args:
        agreement: beyond chance.
        proportions: (K,) of the classes.

    Examples:
        >>> round(expect_from_agreement(0.8, torch.full((2,), 1 / 2)), 2)
        0.7
        >>> round(expect_from_agreement(0.8, torch.full((10,), 1 / 10)), 2)
        0.73
    """
    guess = float(proportions @ proportions)
    return guess + (1 - guess) * max(0.0, agreement) ** (1 + STEEPNESS * guess)


def sober_scale(
    held_out: Tensor, classes: Tensor, proportions: Tensor, noise: float, agreement: float
) -> float:
    """Return the scale, at most 1, at which held-out labels are as often right as is claimed.

    Args:
        held_out: (n, K) scores of labels, each learned without it.
        classes: (n,) these labels.
        proportions: (K,) of the classes among all points; labels are weighed accordingly.
        noise: the part of the labels that may be any class.
        agreement: beyond chance, of several ways to learn, about points without a label.
    """
    n_labels, n_classes = held_out.shape
    counts = torch.bincount(classes, minlength=n_classes).clamp(min=1)
    weights = (proportions / counts)[classes]
    weights = weights / weights.sum()
    accuracy = float(weights @ (held_out.argmax(dim=1) == classes).to(weights))
    accuracy = min(1.0, max(0.0, (accuracy - noise / n_classes) / (1 - noise)))
    beforehand = N_BEFOREHAND * expect_from_agreement(agreement, proportions)
    expected = (n_labels * accuracy + beforehand) / (n_labels + N_BEFOREHAND)
    return min(1.0, match_confidence(held_out, expected, weights))
