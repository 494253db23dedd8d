import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor

from diffresnet.learning import proportions
from diffresnet.learning.proportions import check_balance, class_biases


def random_scores(n_tasks: int = 4, n_classes: int = 3, n_points: int = 9) -> Tensor:
    generator = torch.Generator().manual_seed(1)
    scores = 3 * torch.randn(n_tasks, n_classes, n_points, generator=generator)
    scores[:, 0] += 2  # more of the first class
    return scores.double()


def memberships_by_loops(scores: list[list[float]], balance: float) -> list[list[float]]:
    """Return memberships by slow rounds of the definition: r, then m, then b, with damping."""
    n_classes, n_points = len(scores), len(scores[0])
    biases = [0.0] * n_classes
    step = 1.0 if balance < 0 or math.isinf(balance) else 1 / (1 + balance)
    while True:
        columns: list[list[float]] = []
        for i in range(n_points):
            powers = [math.exp(scores[k][i] + biases[k]) for k in range(n_classes)]
            columns.append([power / sum(powers) for power in powers])
        moved: list[float] = []
        for k in range(n_classes):
            total = sum(column[k] for column in columns)
            if balance < 0:
                wanted = -balance * math.log(n_classes * (total + 1) / (n_points + n_classes))
            elif math.isinf(balance):
                wanted = biases[k] - math.log(n_classes * total / n_points)
            else:
                wanted = -balance * math.log(n_classes * total / n_points)
            moved.append(biases[k] + step * (wanted - biases[k]))
        if max(abs(new - old) for new, old in zip(moved, biases, strict=True)) < 1e-12:
            return columns
        biases = moved


@pytest.mark.parametrize("balance", [-1.0, -0.5, 0.3, 1.0, 7.0, math.inf])
def test_equals_loops(balance: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proportions, "TRANSPORT_TOLERANCE", 1e-12)
    monkeypatch.setattr(proportions, "TRANSPORT_ROUNDS", 10_000)
    monkeypatch.setattr(proportions, "ESTIMATION_ROUNDS", 3000)
    scores = random_scores()
    found = (scores + class_biases(scores, balance)).softmax(dim=1)
    for which in range(4):
        expected = np.array(memberships_by_loops(scores[which].tolist(), balance)).T
        np.testing.assert_allclose(found[which].numpy(), expected, atol=1e-9)


def test_without_balance_each_point_is_by_itself() -> None:
    scores = random_scores()
    assert torch.equal(class_biases(scores, 0.0, scores[..., :1]), torch.zeros(4, 3, 1).double())


def test_the_larger_the_more_even() -> None:
    scores, last = random_scores(), math.inf
    for balance in (-1.0, -0.5, 0.0, 0.5, 2.0, 20.0, math.inf):
        means = (scores + class_biases(scores, balance)).softmax(dim=1).mean(dim=2)
        spread = float((means * (3 * means).log()).sum(dim=1).mean())
        assert spread < last - 1e-3
        last = spread
    assert last < 1e-6


def test_maximizes_what_it_says() -> None:
    scores, balance = random_scores(), 2.0

    def value(memberships: Tensor) -> Tensor:
        means = memberships.mean(dim=2)
        uneven = (means * (3 * means).log()).sum(dim=1)
        own = (memberships * (scores - memberships.log())).sum(dim=(1, 2))
        return own - balance * scores.shape[2] * uneven

    best = scores + class_biases(scores, balance)
    generator = torch.Generator().manual_seed(2)
    for _ in range(20):
        noise = 0.1 * torch.randn(best.shape, generator=generator, dtype=best.dtype)
        assert (value((best + noise).softmax(dim=1)) < value(best.softmax(dim=1)) + 1e-6).all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("balance", [-1.0, 1.0, math.inf])
def test_sure_scores(balance: float, dtype: torch.dtype) -> None:
    scores = (20 * random_scores(n_points=75)).to(dtype)
    biases = class_biases(scores, balance)
    assert biases.isfinite().all()
    if math.isinf(balance):
        means = (scores + biases).softmax(dim=1).mean(dim=2)
        torch.testing.assert_close(means, torch.full_like(means, 1 / 3), atol=2e-4, rtol=0)


def test_a_start_changes_nothing_but_time() -> None:
    scores = random_scores()
    for balance in (-1.0, 1.0, math.inf):
        first = class_biases(scores, balance)
        again = class_biases(scores, balance, class_biases(1.1 * scores, balance))
        torch.testing.assert_close(again.softmax(dim=1), first.softmax(dim=1), atol=1e-3, rtol=0)


def test_tasks_do_not_depend_on_each_other() -> None:
    scores = torch.cat([random_scores(2), 20 * random_scores(2)])
    for balance in (-1.0, 1.0, math.inf):
        together = class_biases(scores, balance)
        for which in range(4):
            alone = class_biases(scores[which : which + 1], balance)
            torch.testing.assert_close(alone[0], together[which], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("value", [-1, -0.25, 0, 3.0, math.inf])
def test_good_settings(value: float) -> None:
    assert check_balance("f", "balance", value) == value


@pytest.mark.parametrize(
    ("call", "got"),
    [
        (lambda: check_balance("f", "balance", -1.5), "-1.5"),
        (lambda: check_balance("f", "balance", math.nan), "nan"),
        (lambda: check_balance("f", "balance", "even"), "'even'"),
        (lambda: check_balance("f", "balance", True), "True"),
    ],
)
def test_bad_input(call: Callable[[], object], got: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        call()
    assert str(error.value) == (
        f"f: `balance` must be a number of at least -1, or infinity, got {got}. "
        "Pass 0 for a `balance` of none."
    )
