import pytest
import torch
from scipy.stats import binomtest
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
from diffresnet.learning.sampling import Beforehand, LabelSampling, proportions_beforehand
from diffresnet.learning.settling import lift_rare, settle, settle_cold
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


def test_a_rare_class_is_not_given_up_where_labels_were_drawn_at_random() -> None:
    generator = torch.Generator().manual_seed(0)
    scores_of_all = torch.randn(500, 2, generator=generator).double() + torch.tensor([9.0, 0.0])
    counts = torch.tensor([190, 10])
    bound = binomtest(10, 200).proportion_ci(0.95, "exact").low
    mean = (scores_of_all + lift_rare(scores_of_all, counts)).softmax(dim=1).mean(dim=0)
    assert float(mean[1]) == pytest.approx(bound, rel=1e-3)
    enough = scores_of_all - torch.tensor([6.0, 0.0])
    assert lift_rare(enough, counts).tolist() == [0, 0]  # it is more than the bound
    assert lift_rare(scores_of_all.flip(1), counts).tolist() == [0, 0]  # not a rare one


def test_only_labels_that_are_said_to_be_random_lift_a_class() -> None:
    classes = torch.zeros(300, dtype=torch.long)
    shown = torch.stack([scores(classes, 12, seed) for seed in range(3)])
    known = torch.cat([torch.zeros(50), torch.ones(10), torch.full((10,), 2)]).long()
    labels = Labels(torch.arange(70), known, 3)
    held_out = torch.stack([scores(known, 12, 10 + seed) for seed in range(3)])
    weighed = Weighed(torch.tensor([1.0, 0.5, 0.7, 0, 0, 0]).double().numpy(), (1,) * 3, 0.0)
    means = []
    samplings: tuple[LabelSampling, ...] = ("random", "auto", "per class")
    for sampling in samplings:
        before = proportions_beforehand(labels, sampling)
        weights, biases = settle(weighed, shown, held_out, labels, before)
        mean = (torch.tensordot(weights, shown, 1) + biases).softmax(dim=1).mean(dim=0)
        means.append(float(mean[1:].min()))
    bound = binomtest(10, 70).proportion_ci(0.95, "exact").low
    assert means[0] == pytest.approx(bound, rel=0.05)
    assert max(means[1:]) < bound / 2
