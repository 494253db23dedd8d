"""How much each part counts, as in the classifier's mixture: held-out labels say."""

import torch
from torch import Tensor

from diffresnet.learning.confidence import (
    agreement,
    expect_from_agreement,
    match_confidence,
    sober_scale,
)
from diffresnet.learning.label_shift import shift_of_classes
from diffresnet.learning.labels import Labels
from diffresnet.learning.mixture_settings import MixtureSettings
from diffresnet.learning.sampling import proportions_beforehand
from diffresnet.learning.weighing import weigh

RIDGE_WEIGHTS = (0.2, 0.8)
"""Of propagation, and of both together, where there are very many labels, beforehand."""
SETTINGS = MixtureSettings()
"""Those of the classifier's mixture."""


def weigh_parts(
    labels: Labels, shown: Tensor, held_out: list[Tensor], expected: Tensor
) -> tuple[tuple[float, ...], Tensor]:
    """Return the weights of the parts and the biases of the classes.

    Args:
        labels: all of them.
        shown: (P, n, K) scores of the sample by the parts.
        held_out: (n, K) scores of the labels, each learned without it, by the parts.
        expected: (2,) weights of the prototypes beforehand.
    """
    by_prototypes = torch.tensordot(expected, shown[:2], 1)
    kappa = agreement(shown.argmax(dim=2))

    def relative_scale(part: int) -> float:
        own = shown[part].std(dim=1).mean().clamp(min=1e-12)
        return max(1e-12, float(by_prototypes.std(dim=1).mean() / own))

    before = proportions_beforehand(labels, "auto")
    seen = labels.counts[labels.classes] > 1
    own = torch.stack([one[seen] for one in held_out])

    def find_shift(weights: Tensor, biases: Tensor) -> Tensor:
        logs = (torch.tensordot(weights, shown, 1) + biases).log_softmax(dim=1)
        own_logs = (torch.tensordot(weights, own, 1) + biases).log_softmax(dim=1)
        return shift_of_classes(logs, own_logs, labels, before)

    if not bool(seen.any()):
        weights = torch.cat([expected, torch.zeros(2).double()])
        weights[2] = SETTINGS.propagation_weight * relative_scale(2)
        target = expect_from_agreement(kappa, before.proportions)
        weights = weights * match_confidence(torch.tensordot(weights, shown, 1), target)
        return tuple(weights.tolist()), find_shift(weights, torch.zeros_like(shown[0, 0]))
    fade = labels.n_classes / len(labels.rows)
    weighed = weigh(
        list(own),
        labels.classes[seen],
        expected=(*(fade * expected).tolist(), *((1 - fade) * one for one in RIDGE_WEIGHTS)),
        usual_scales=(None, None, relative_scale(2), relative_scale(3)),
        biases=before.biases,
        doubt=SETTINGS.doubt,
    )
    weights = torch.tensor(weighed.weights).double()
    shift = find_shift(weights, weighed.biases)
    biases, presumed = weighed.biases + shift, (before.of_labels.log() + shift).softmax(dim=0)
    tried = torch.tensordot(weights, own, 1) + biases
    scale = sober_scale(tried, labels.classes[seen], presumed, weighed.noise, kappa)
    return tuple((scale * weights).tolist()), scale * biases
