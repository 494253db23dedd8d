"""The last steps of a mixture, once its parts are weighed: class proportions, and confidence.

Proportions are those that points without a label speak for (`label_shift`); scores are scaled until
confidence is the accuracy to expect (`confidence`).
"""

import torch
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
    return scale * weights, scale * (biases + shift)
