import pytest
import torch
from torch import Tensor
from torch.nn.functional import one_hot

from diffresnet.learning.confidence import (
    agreement_beyond_chance,
    confidence,
    expect_from_agreement,
    sober_scale,
)
from diffresnet.learning.label_shift import presume_proportions
from diffresnet.learning.labels import Labels
from diffresnet.learning.sampling import Beforehand, proportions_beforehand
from diffresnet.learning.settling import settle, settle_cold
from diffresnet.learning.weighing import Weighed

EVEN = torch.full((3,), 1 / 3).double()


def scores(classes: Tensor, strength: float, seed: int) -> Tensor:
    """Return scores that speak for the classes, with noise."""
    noise = torch.randn(len(classes), 3, generator=torch.Generator().manual_seed(seed)).double()
    return strength * one_hot(classes, 3) + noise


@pytest.mark.parametrize("strength", [0.5, 2.0, 4.0])
def test_without_held_out_labels_confidence_is_what_agreement_speaks_for(strength: float) -> None:
    classes = torch.arange(600) % 3
    shown = torch.stack([scores(classes, strength, seed) for seed in range(4)])
    weights = torch.tensor([0.6, 0.3, 0.4, 0.0]).double()
    found = settle_cold(weights, shown, Beforehand(EVEN, EVEN, n_random=0))
    agreement = agreement_beyond_chance(shown.argmax(dim=2), EVEN)
    target = expect_from_agreement(agreement, EVEN)
    assert confidence(torch.tensordot(found, shown, 1)) == pytest.approx(target, abs=0.03)
    assert torch.allclose(found / found.sum(), weights / weights.sum())


def test_proportions_are_presumed_before_confidence_is_matched() -> None:
    classes = torch.arange(1000) % 3
    classes[300:] = 0  # the first class is by far the most common
    shown = torch.stack([scores(classes, 3, seed) for seed in range(3)])
    known = torch.arange(60) % 3
    labels = Labels(torch.arange(60), known, 3)
    held_out = torch.stack([scores(known, 2, 10 + seed) for seed in range(3)])
    weighed = Weighed(torch.tensor([5.0, 2.5, 3.5, 0.1, 0.0, -0.1]).double().numpy(), (1,) * 3, 0.1)
    before = proportions_beforehand(labels, "per class")

    weights, biases = settle(weighed, shown, held_out, labels, before)

    plain, own = (
        torch.tensordot(torch.tensor([5.0, 2.5, 3.5]).double(), given, 1) + weighed.biases
        for given in (shown, held_out)
    )
    logs, own_logs = plain.log_softmax(dim=1), own.log_softmax(dim=1)
    presumed = presume_proportions(logs, own_logs, before)
    assert float(presumed[0]) > 0.6
    shift = (presumed / before.of_labels).log()
    agreement = agreement_beyond_chance(shown.argmax(dim=2), before.proportions)
    scale = sober_scale(own + shift, known, presumed, 0.1, agreement)
    assert scale < 1
    assert torch.allclose(weights, scale * torch.tensor([5.0, 2.5, 3.5]).double())
    assert torch.allclose(biases, scale * (weighed.biases + shift))
