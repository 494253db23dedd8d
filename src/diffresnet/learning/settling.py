"""The last steps of a mixture, once its parts are weighed: class proportions, and confidence.

Proportions are those that points without a label speak for (`label_shift`); scores are scaled until
confidence is the accuracy to expect (`confidence`).
"""

import torch
from scipy.stats import beta
from torch import Tensor

from diffresnet.learning.confidence import (
    agreement_beyond_chance,
    expect_from_agreement,
    match_confidence,
    sober_scale,
)
from diffresnet.learning.label_shift import shift_of_classes
from diffresnet.learning.labels import Labels
from diffresnet.learning.sampling import Beforehand
from diffresnet.learning.weighing import Weighed

ONE_SIDED = 0.025
"""How often the bound of a rare class is above its proportion, by chance."""

FLOOR_ROUNDS = 20


def settle_cold(weights: Tensor, shown: Tensor, before: Beforehand) -> Tensor:
    """Return the weights (P,) of parts where no label can be held out, scaled.

    Confidence is the accuracy to expect from how often all parts agree.

    Args:
        weights: (P,) of the parts.
        shown: (P, n, K) their scores of points without a label.
        before: the proportions expected beforehand.
    """
    agreement = agreement_beyond_chance(shown.argmax(dim=2), before.proportions)
    target = expect_from_agreement(agreement, before.proportions)
    return weights * match_confidence(torch.tensordot(weights, shown, 1), target)


def settle(
    weighed: Weighed, shown: Tensor, held_out: Tensor, labels: Labels, before: Beforehand
) -> tuple[Tensor, Tensor]:
    """Return the weights (P,) of parts and the biases (K,) of classes, adapted and scaled.

    Args:
        weighed: the weights of the parts, and the biases, as held-out labels say.
        shown: (P, n, K) scores of points without a label by the parts.
        held_out: (P, L, K) of the labels that can be held out, each learned without it.
        labels: all of them.
        before: what they say of the proportions.
    """
    weights, biases = torch.tensor(weighed.weights).double(), weighed.biases
    tried = torch.tensordot(weights, held_out, 1) + biases
    logs = (torch.tensordot(weights, shown, 1) + biases).log_softmax(dim=1)
    shift = shift_of_classes(logs, tried.log_softmax(dim=1), labels, before)
    presumed = (before.of_labels.log() + shift).softmax(dim=0)
    agreement = agreement_beyond_chance(shown.argmax(dim=2), before.proportions)
    classes = labels.classes[labels.can_be_held_out]
    scale = sober_scale(tried + shift, classes, presumed, weighed.noise, agreement)
    weights, biases = scale * weights, scale * (biases + shift)
    if before.is_stated:  # counts that are uneven for other reasons say nothing
        biases = biases + lift_rare(torch.tensordot(weights, shown, 1) + biases, labels.counts)
    return weights, biases


def lift_rare(scores: Tensor, counts: Tensor) -> Tensor:
    """Return what to add to the scores of each class, (K,), so that no rare one is given up.

    The proportion of a class among labels that were drawn at random has a lower bound (Clopper and
    Pearson's). Where features say little of a rare class, estimates of its proportion may fall far
    below: then its mean probability is brought up to the bound.

    Args:
        scores: (n, K) of points without a label.
        counts: (K,) of the labels, drawn at random. Only classes that are rarer among them than the
            mean are lifted.

    Examples:
        Seven of 200 labels are of a class, which is at least 1.4 % of all in 39 of 40 cases.

        >>> scores = torch.tensor([[8.0, 0.0]] * 100).double()
        >>> (scores + lift_rare(scores, torch.tensor([193, 7]))).softmax(dim=1)[0]
        tensor([0.9858, 0.0142], dtype=torch.float64)
    """
    others = (counts.sum() - counts + 1).numpy()
    bounds = torch.from_numpy(beta.ppf(ONE_SIDED, counts.numpy(), others)).to(scores)
    lifted, is_rare = torch.zeros_like(bounds), counts * len(counts) < counts.sum()
    for _ in range(FLOOR_ROUNDS):
        means = (scores + lifted).softmax(dim=1).mean(dim=0).clamp(min=1e-300)
        lacking = (bounds / means).log().clamp(min=0)
        lifted = torch.where(is_rare, lifted + lacking, 0.0)
    return lifted
