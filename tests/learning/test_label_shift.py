import math
from typing import Any

import pytest
import torch
from torch import Tensor

from diffresnet.learning.calibration import estimate_proportions
from diffresnet.learning.label_shift import (
    RELATIVE_DOUBT,
    presume_proportions,
    shift_of_classes,
)
from diffresnet.learning.labels import Labels
from diffresnet.learning.sampling import Beforehand

EVEN = torch.full((2,), 0.5).double()


def scores(n_points: int, clearness: float, proportions: list[float]) -> Tensor:
    """Return log-probabilities of points, learned from even classes, that are so common."""
    generator = torch.Generator().manual_seed(0)
    classes = torch.multinomial(torch.tensor(proportions), n_points, True, generator=generator)
    found = torch.randn(n_points, len(proportions), generator=generator).double()
    found[torch.arange(n_points), classes] += clearness
    return (clearness * found).log_softmax(dim=1)


def sum_memberships(logs: Tensor, found: list[float], before: list[float]) -> list[float]:
    """Return the sum of memberships in each class plus one, point by point."""
    n_classes = len(before)
    sums = [1.0] * n_classes
    for row in logs.exp().tolist():
        joint = [row[k] * found[k] / before[k] for k in range(n_classes)]
        sums = [sums[k] + joint[k] / sum(joint) for k in range(n_classes)]
    return sums


def maximize_expectation(logs: Tensor, before: list[float]) -> list[float]:
    """Return the proportions that explain predictions."""
    found = before
    for _ in range(200):
        sums = sum_memberships(logs, found, before)
        found = [one / sum(sums) for one in sums]
    return found


def maximize_moved(
    logs: Tensor, moved: Tensor, before: list[float], expected: list[float]
) -> list[float]:
    """Return how biases move the estimate, where the expected proportions solve it without them."""
    usual, found = sum_memberships(logs, expected, before), expected
    for _ in range(200):
        sums = sum_memberships(moved, found, before)
        found = [expected[k] * sums[k] / usual[k] for k in range(len(before))]
    return found


@pytest.mark.parametrize("n_random", [0, 10])
def test_formula_with_loops(n_random: int) -> None:
    """The variance is that of small biases, whose effect is tried one by one."""
    logs, of_labels = scores(60, 2.0, [0.8, 0.15, 0.05]), [0.5, 0.3, 0.2]
    expected, held_out = [0.4, 0.4, 0.2], scores(9, 2.0, [1 / 3] * 3)
    before = Beforehand(torch.tensor(expected).double(), torch.tensor(of_labels).double(), n_random)
    found = maximize_expectation(logs, of_labels)
    moved = [x - sum(row) / 3 for row in logs.tolist() for x in row]
    doubt = RELATIVE_DOUBT * math.sqrt(sum(one**2 for one in moved) / len(moved))
    classes = torch.arange(9) % 3

    def loss(biases: Tensor) -> Tensor:
        likely = (held_out + biases).log_softmax(dim=1)[torch.arange(9), classes]
        return biases.square().sum() / (2 * doubt**2) - likely.sum()

    curvature: Any = torch.autograd.functional.hessian(loss, torch.zeros(3).double())
    factor, step, by_chance = torch.linalg.cholesky(curvature.inverse()), 1e-4, 0.0
    for direction in factor.T:
        ends = [
            maximize_moved(logs, logs + sign * step * direction, of_labels, expected)
            for sign in (1, -1)
        ]
        by_chance += sum(
            ((math.sqrt(up) - math.sqrt(down)) / (2 * step)) ** 2
            for up, down in zip(*ends, strict=True)
        )
    if n_random:
        by_chance += (3 - 1) / (4 * n_random)
    distance = sum((math.sqrt(f) - math.sqrt(e)) ** 2 for f, e in zip(found, expected, strict=True))
    trust = max(0.0, 1 - by_chance / distance)
    assert 0 < trust < 1
    mixed = [e ** (1 - trust) * f**trust for e, f in zip(expected, found, strict=True)]
    wanted = [one / sum(mixed) for one in mixed]
    assert presume_proportions(logs, held_out, before).tolist() == pytest.approx(wanted, rel=1e-3)


def test_an_estimate_that_gives_a_class_up_is_not_certain() -> None:
    """Where predictions say little, one class may explain all of them."""
    unclear = 0.3 * torch.randn(400, 2, generator=torch.Generator().manual_seed(0)).double()
    biased = (unclear + torch.tensor([0.6, 0.0])).log_softmax(dim=1)
    before = Beforehand(EVEN, EVEN, n_random=0)
    assert float(estimate_proportions(biased, EVEN)[0]) > 0.99
    assert torch.allclose(presume_proportions(biased, biased[:20], before), EVEN)


def test_what_chance_explains_moves_nothing() -> None:
    clear, unclear = scores(400, 3.0, [0.85, 0.15]), scores(400, 0.2, [0.85, 0.15])
    before = Beforehand(EVEN, EVEN, n_random=0)
    assert float(presume_proportions(clear, clear[:20], before)[0]) == pytest.approx(0.85, abs=0.05)
    assert abs(float(estimate_proportions(unclear, EVEN)[0]) - 0.5) > 0.05
    assert torch.allclose(presume_proportions(unclear, unclear[:20], before), EVEN)
    assert torch.equal(presume_proportions(clear, clear[:0], before), EVEN)


def test_the_order_of_the_classes_does_not_matter() -> None:
    logs, held_out = scores(200, 1.5, [0.6, 0.3, 0.1]), scores(12, 1.5, [1 / 3] * 3)
    expected = torch.tensor([0.2, 0.3, 0.5]).double()
    before = Beforehand(expected, expected, n_random=30)
    turned = Beforehand(expected.flip(0), expected.flip(0), n_random=30)
    found = presume_proportions(logs, held_out, before)
    assert not torch.allclose(found, expected, atol=0.01)
    assert torch.allclose(
        presume_proportions(logs.flip(1), held_out.flip(1), turned).flip(0), found
    )


def test_large_scores_give_proportions() -> None:
    sure = 1e4 * scores(400, 3.0, [0.7, 0.3])
    found = presume_proportions(sure, sure[:20], Beforehand(EVEN, EVEN, n_random=0))
    assert 0.6 < float(found[0]) < 0.8


def test_random_labels_are_overruled_where_chance_does_not_explain_them() -> None:
    clear = scores(400, 3.0, [0.7, 0.3])
    few, many = (presume_proportions(clear, clear[:20], Beforehand(EVEN, EVEN, n)) for n in (4, 40))
    assert torch.allclose(few, EVEN)
    assert float(many[0]) > 0.6  # 40 labels drawn at random would hardly be even


def test_a_class_of_one_label_beside_many_does_not_become_rarer() -> None:
    clear, classes = scores(400, 3.0, [0.95, 0.05]), torch.tensor([0, 0, 0, 0, 1])
    labels = Labels(torch.arange(5), classes, 2)
    before = Beforehand(EVEN, EVEN, n_random=0)
    shift = shift_of_classes(clear, clear[:4], labels, before)
    assert float(shift[1]) == 0
    assert float(shift[0]) > 0.3
