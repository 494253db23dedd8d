from dataclasses import replace

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from diffresnet.learning.weighing import Weighed, weigh

GENERATOR = torch.Generator().manual_seed(0)


def weigh_two(
    left: Tensor, right: Tensor, classes: Tensor, *expected: float, earlier: Weighed | None = None
) -> Weighed:
    biases = torch.zeros(left.shape[1], dtype=torch.float64)
    return weigh(
        [left, right],
        classes,
        expected=expected,
        usual_scales=(None, 1.0),
        biases=biases,
        doubt=0.5,
        earlier=earlier,
    )


def noise(n_labels: int, n_classes: int) -> Tensor:
    return torch.randn(n_labels, n_classes, generator=GENERATOR).double()


def test_labels_weigh_the_parts() -> None:
    classes = torch.arange(3).repeat(20)
    good, bad = 5 * one_hot(classes).double(), 5 * noise(60, 3)
    for held_out, which in (((good, bad), 0), ((bad, good), 1)):
        weights = weigh_two(*held_out, classes, 0.5, 0.5).weights
        assert weights[which] > 5 * weights[1 - which]
    found = weigh_two(bad, bad, classes, 0.5, 0.0)
    assert max(found.weights) < 0.1
    assert float(found.biases.abs().max()) < 0.3


def test_few_labels_leave_what_is_expected_and_many_do_not() -> None:
    for n_labels, nearly in ((2, True), (100, False)):
        classes = torch.arange(2).repeat(n_labels)
        bad = noise(len(classes), 2)
        assert (weigh_two(bad, bad, classes, 1.0, 0.0).weights[0] > 0.5) == nearly


def test_wrong_labels_are_noise_and_no_doubt() -> None:
    scores = 4 * noise(400, 4)
    classes = torch.multinomial(scores.softmax(dim=1), 1, generator=GENERATOR)[:, 0]
    wrong = classes.clone()
    wrong[:80] = (wrong[:80] + 1) % 4
    clean, noisy = (weigh_two(scores, scores, one, 1.0, 0.0) for one in (classes, wrong))
    assert clean.noise <= 0.05
    assert noisy.noise in (0.2, 0.3)
    assert sum(noisy.weights) > 0.6 * sum(clean.weights)


def test_what_was_found_before_is_found_again_with_its_scales_and_noise() -> None:
    scores = 4 * noise(100, 3)
    classes = torch.multinomial(scores.softmax(dim=1), 1, generator=GENERATOR)[:, 0]
    other = scores + noise(100, 3)
    first = weigh_two(scores[:-2], other[:-2], classes[:-2], 0.5, 0.5)
    fresh = weigh_two(scores, other, classes, 0.5, 0.5)
    stale = replace(first, noise=0.3, scales=(1.0, 2.0))  # which no search would choose
    kept = weigh_two(scores, other, classes, 0.5, 0.5, earlier=stale)
    assert (kept.noise, kept.scales) == (0.3, (1.0, 2.0)) != (fresh.noise, fresh.scales)
    again = weigh_two(scores, other, classes, 0.5, 0.5, earlier=first)
    assert torch.allclose(torch.tensor(again.weights), torch.tensor(fresh.weights), rtol=0.02)
    assert torch.allclose(again.biases, fresh.biases, atol=0.01)
