"""How sure the classifier may be: scores are scaled until confidence is the accuracy to expect.

Few labels tell little of the accuracy, so there is an expectation beforehand: the more often
prototypes and labels spread over the graph agree, the higher. Held-out labels are then counted
beside it, as if it were the mean of `N_BEFOREHAND` labels.
"""

import torch
from torch import Tensor

SCALES = tuple(2.0 ** (step / 4) for step in range(-32, 33))
"""What scores may be multiplied by."""

N_BEFOREHAND = 5.0
"""The number of held-out labels that count as much as what is expected beforehand."""


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


def expect_from_agreement(agreement: float) -> float:
    """Return the accuracy to expect where prototypes and propagation agree this often."""
    return 0.2 + 0.5 * agreement


def sober_scale(
    held_out: Tensor, classes: Tensor, proportions: Tensor, noise: float, agreement: float
) -> float:
    """Return the scale, at most 1, at which held-out labels are as often right as is claimed.

    Args:
        held_out: (n, K) scores of labels, each learned without it.
        classes: (n,) these labels.
        proportions: (K,) of the classes among all points; labels are weighed accordingly.
        noise: the part of the labels that may be any class.
        agreement: of prototypes and propagation.
    """
    n_labels, n_classes = held_out.shape
    counts = torch.bincount(classes, minlength=n_classes).clamp(min=1)
    weights = (proportions / counts)[classes]
    weights = weights / weights.sum()
    accuracy = float(weights @ (held_out.argmax(dim=1) == classes).to(weights))
    accuracy = min(1.0, max(0.0, (accuracy - noise / n_classes) / (1 - noise)))
    beforehand = N_BEFOREHAND * expect_from_agreement(agreement)
    expected = (n_labels * accuracy + beforehand) / (n_labels + N_BEFOREHAND)
    return min(1.0, match_confidence(held_out, expected, weights))
