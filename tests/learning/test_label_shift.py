import math

import pytest
import torch
from torch import Tensor

from diffresnet.learning import label_shift
from diffresnet.learning.label_shift import presume_proportions, shift_of_classes
from diffresnet.learning.labels import Labels
from diffresnet.learning.sampling import Beforehand
from diffresnet.learning.weighing import BIAS_DOUBT

EVEN = torch.full((2,), 0.5).double()


def scores(n_points: int, clearness: float, proportions: list[float]) -> Tensor:
    """Return log-probabilities of points, learned from even classes, that are so common."""
    generator = torch.Generator().manual_seed(0)
    classes = torch.multinomial(torch.tensor(proportions), n_points, True, generator=generator)
    found = torch.randn(n_points, len(proportions), generator=generator).double()
    found[torch.arange(n_points), classes] += clearness
    return (clearness * found).log_softmax(dim=1)


def maximize_expectation(logs: Tensor, before: list[float]) -> list[float]:
    """Return the proportions that explain predictions, point by point."""
    total = sum(before)
    n_classes, found = len(before), [one / total for one in before]
    for _ in range(200):
        sums = [1.0] * n_classes
        for row in logs.exp().tolist():
            joint = [row[k] * found[k] / before[k] for k in range(n_classes)]
            sums = [sums[k] + joint[k] / sum(joint) for k in range(n_classes)]
        found = [one / (len(logs) + n_classes) for one in sums]
    return found


@pytest.mark.parametrize("n_random", [0, 10])
def test_formula_with_loops(monkeypatch: pytest.MonkeyPatch, n_random: int) -> None:
    monkeypatch.setattr(label_shift, "N_BIASES", 6)
    logs, of_labels = scores(60, 2.0, [0.8, 0.15, 0.05]), [0.5, 0.3, 0.2]
    expected, held_out = [0.4, 0.4, 0.2], scores(9, 2.0, [1 / 3] * 3)
    before = Beforehand(torch.tensor(expected).double(), torch.tensor(of_labels).double(), n_random)
    found = maximize_expectation(logs, of_labels)
    by_chance = 0.0
    moved_by = [x - sum(row) / 3 for row in logs.tolist() for x in row]
    scale = math.sqrt(sum(one**2 for one in moved_by) / len(moved_by))
    drawn = label_shift.draw_biases(held_out.exp(), BIAS_DOUBT * scale).tolist()
    for biases in drawn:
        moved = [one * math.exp(-b) for one, b in zip(of_labels, biases, strict=True)]
        other = maximize_expectation(logs, moved)
        by_chance += sum((math.sqrt(other[k]) - math.sqrt(found[k])) ** 2 for k in range(3)) / 4
    if n_random:
        by_chance += (3 - 1) / (4 * n_random)
    distance = sum((math.sqrt(found[k]) - math.sqrt(expected[k])) ** 2 for k in range(3))
    trust = max(0.0, 1 - by_chance / distance)
    assert 0 < trust < 1
    mixed = [e ** (1 - trust) * f**trust for e, f in zip(expected, found, strict=True)]
    wanted = [one / sum(mixed) for one in mixed]
    assert presume_proportions(logs, held_out, before).tolist() == pytest.approx(wanted, rel=1e-4)


def test_biases_are_as_likely_as_labels_let_them_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_shift, "N_BIASES", 150_000)
    held_out = scores(12, 1.5, [1 / 3] * 3)
    classes = torch.arange(12) % 3

    def loss(biases: Tensor) -> Tensor:
        logs = (held_out + biases).log_softmax(dim=1)
        return biases.square().sum() / (2 * 0.7**2) - logs[torch.arange(12), classes].sum()

    curvature = torch.autograd.functional.hessian(loss, torch.zeros(3).double())
    covariance = torch.cov(label_shift.draw_biases(held_out.exp(), 0.7).T)
    assert torch.allclose(covariance @ curvature, torch.eye(3).double(), atol=0.05)


def test_what_chance_explains_moves_nothing() -> None:
    clear, unclear = scores(400, 3.0, [0.85, 0.15]), scores(400, 0.2, [0.85, 0.15])
    before = Beforehand(EVEN, EVEN, n_random=0)
    of_clear = presume_proportions(clear, clear[:20], before)
    assert float(of_clear[0]) == pytest.approx(0.85, abs=0.05)
    assert torch.allclose(presume_proportions(unclear, unclear[:20], before), EVEN)
    assert torch.equal(presume_proportions(clear, clear[:0], before), EVEN)


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
