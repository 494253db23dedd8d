"""How sure the classifier may be: scores are scaled until confidence is the accuracy to expect.

Few labels tell little of the accuracy, so there is an expectation beforehand: the more often
several ways to learn agree about points without a label, the higher. Held-out labels are then
counted beside it, as if it were the mean of `N_BEFOREHAND` labels.
"""

from itertools import combinations

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


def agreement(predicted: Tensor) -> float:
    """Return Cohen's kappa, the agreement beyond chance, in the mean over pairs of ways to learn.

    It is n / (n + 1) of that: that a few points are all agreed on is no certainty.

    Args:
        predicted: (P, n) classes of points, by two ways or more.

    Examples:
        >>> agreement(torch.tensor([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1]]))
        0.26666666666666666
    """
    one_hot = torch.nn.functional.one_hot(predicted).double()
    proportions = one_hot.mean(dim=1)
    found = []
    for one, other in combinations(range(len(predicted)), 2):
        by_chance = float(proportions[one] @ proportions[other])
        observed = float((predicted[one] == predicted[other]).double().mean())
        found.append((observed - by_chance) / (1 - by_chance) if by_chance < 1 else 0.0)
    n_points = predicted.shape[1]
    return sum(found) / len(found) * n_points / (n_points + 1)


def expect_from_agreement(kappa: float, proportions: Tensor) -> float:
    """Return the accuracy to expect where several ways to learn agree so often.

    It is c + (1 - c) kappa^(1 + `STEEPNESS` c), where c is how often a guess is right. Two ways to
    be wrong are seldom wrong alike if there are many classes; if there are two, both may well
    follow the same clusters, which need not be the classes.

    Args:
        kappa: the agreement beyond chance.
        proportions: (K,) of the classes.

    Examples:
        >>> round(expect_from_agreement(0.8, torch.full((2,), 1 / 2)), 2)
        0.7
        >>> round(expect_from_agreement(0.8, torch.full((10,), 1 / 10)), 2)
        0.73
    """
    by_chance = float(proportions @ proportions)
    return by_chance + (1 - by_chance) * max(0.0, kappa) ** (1 + STEEPNESS * by_chance)


def sober_scale(
    held_out: Tensor, classes: Tensor, proportions: Tensor, noise: float, kappa: float
) -> float:
    """Return the scale, at most 1, at which held-out labels are as often right as is claimed.

    Args:
        held_out: (n, K) scores of labels, each learned without it.
        classes: (n,) these labels.
        proportions: (K,) of the classes among all points; labels are weighed accordingly.
        noise: the part of the labels that may be any class.
        kappa: the agreement of several ways to learn, about points without a label.
    """
    n_labels, n_classes = held_out.shape
    counts = torch.bincount(classes, minlength=n_classes).clamp(min=1)
    weights = (proportions / counts)[classes]
    weights = weights / weights.sum()
    accuracy = float(weights @ (held_out.argmax(dim=1) == classes).to(weights))
    accuracy = min(1.0, max(0.0, (accuracy - noise / n_classes) / (1 - noise)))
    beforehand = N_BEFOREHAND * expect_from_agreement(kappa, proportions)
    expected = (n_labels * accuracy + beforehand) / (n_labels + N_BEFOREHAND)
    return min(1.0, match_confidence(held_out, expected, weights))
