"""How much each part counts, as in the classifier's mixture: held-out labels say."""

import torch
from torch import Tensor

from diffresnet.learning.labels import Labels
from diffresnet.learning.mixture_settings import MixtureSettings
from diffresnet.learning.sampling import proportions_beforehand
from diffresnet.learning.settling import settle, settle_cold
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

    def relative_scale(part: int) -> float:
        own = shown[part].std(dim=1).mean().clamp(min=1e-12)
        return max(1e-12, float(by_prototypes.std(dim=1).mean() / own))

    before = proportions_beforehand(labels, "auto")
    if not bool(labels.can_be_held_out.any()):
        weights = torch.cat([expected, torch.zeros(2).double()])
        weights[2] = SETTINGS.propagation_weight * relative_scale(2)
        return tuple(settle_cold(weights, shown, before).tolist()), torch.zeros_like(shown[0, 0])
    own = torch.stack([one[labels.can_be_held_out] for one in held_out])
    fade = labels.n_classes / len(labels.rows)
    weighed = weigh(
        list(own),
        labels.classes[labels.can_be_held_out],
        expected=(*(fade * expected).tolist(), *((1 - fade) * one for one in RIDGE_WEIGHTS)),
        usual_scales=(None, None, relative_scale(2), relative_scale(3)),
        biases=before.biases,
        doubt=SETTINGS.doubt,
    )
    weights, biases = settle(weighed, shown, own, labels, before)
    return tuple(weights.tolist()), biases
