import math

import pytest
import torch
from torch.nn.functional import one_hot

from diffresnet.learning.ridge import CLASS_PENALTIES, Penalty, solve_classes, solve_targets

GENERATOR = torch.Generator().manual_seed(0)


def random_gram(n_points: int) -> torch.Tensor:
    factors = torch.randn(n_points, 2 * n_points, generator=GENERATOR, dtype=torch.float64)
    gram = factors @ factors.mT
    return gram / gram.diagonal().mean()


@pytest.mark.parametrize("n_labels", [3, 6])
def test_held_out_scores_are_those_of_leaving_each_label_out(n_labels: int) -> None:
    n_points = 3 * n_labels
    gram, classes = random_gram(n_points), torch.arange(3).repeat(n_labels)
    found = solve_classes(gram, classes, 3, (Penalty(0.3, 0.1),))
    targets = one_hot(classes, 3).double() - 1 / 3
    kernel = gram + 0.1
    for out in range(n_points):
        rest = [one for one in range(n_points) if one != out]
        inner = kernel[rest][:, rest] + 0.3 * torch.eye(n_points - 1, dtype=torch.float64)
        expected = kernel[out, rest] @ torch.linalg.solve(inner, targets[rest])
        assert torch.allclose(found.held_out[out], expected)


def test_the_ridge_has_the_least_error() -> None:
    gram, classes = random_gram(20), torch.arange(4).repeat(5)
    chosen = solve_classes(gram, classes, 4)
    alone = [solve_classes(gram, classes, 4, (one,)) for one in CLASS_PENALTIES]
    assert chosen.error == pytest.approx(min(one.error for one in alone))
    assert torch.allclose(alone[CLASS_PENALTIES.index(chosen.penalty)].held_out, chosen.held_out)


def with_constant(gram: torch.Tensor, targets: torch.Tensor, ridge: float) -> torch.Tensor:
    """Return coefficients, and a free constant last: H a + b = y, and the coefficients sum to 0."""
    n_points = len(gram)
    system = torch.ones(n_points + 1, n_points + 1, dtype=torch.float64)
    system[:-1, :-1] = gram + ridge * torch.eye(n_points, dtype=torch.float64)
    system[-1, -1] = 0
    return torch.linalg.solve(system, torch.cat([targets, torch.zeros(1, targets.shape[1])]))


def test_a_free_constant_is_found_and_left_out_exactly() -> None:
    gram, targets = random_gram(9), torch.randn(9, 2, generator=GENERATOR, dtype=torch.float64)
    found = solve_targets(gram, targets, (Penalty(0.3, math.inf),))
    whole = with_constant(gram, targets, 0.3)
    assert torch.allclose(found.coefficients, whole[:-1])
    assert torch.allclose(found.bias, whole[-1])
    for out in range(9):
        rest = [one for one in range(9) if one != out]
        fewer = with_constant(gram[rest][:, rest], targets[rest], 0.3)
        assert torch.allclose(found.held_out[out], gram[out, rest] @ fewer[:-1] + fewer[-1])


def test_a_large_constant_is_nearly_free_and_none_is_none() -> None:
    gram, targets = random_gram(6), torch.randn(6, 1, generator=GENERATOR, dtype=torch.float64)
    free = solve_targets(gram, targets, (Penalty(1.0, math.inf),))
    large = solve_targets(gram, targets, (Penalty(1.0, 1e8),))
    assert torch.allclose(free.held_out, large.held_out, atol=1e-6)
    none = solve_targets(gram, targets, (Penalty(1.0, 0.0),))
    inner = gram + torch.eye(6, dtype=torch.float64)
    assert torch.allclose(none.coefficients, torch.linalg.solve(inner, targets))
    assert none.bias.tolist() == [0.0]


def test_a_single_row_beside_a_free_constant() -> None:
    one = torch.ones(1, 1, dtype=torch.float64)
    found = solve_targets(one, 0 * one)
    assert found.held_out.tolist() == [[0.0]]
    assert found.coefficients.tolist() == [[0.0]]


def test_there_must_be_a_ridge() -> None:
    with pytest.raises(ValueError, match="`penalties` must hold one, got none"):
        solve_targets(random_gram(3), torch.ones(3, 1).double(), ())


def test_of_many_rows_some_choose_and_all_are_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diffresnet.learning.ridge.N_CHOOSING", 15)
    gram, classes = random_gram(40), torch.arange(4).repeat(10)
    found = solve_classes(gram, classes, 4)
    alone = solve_classes(gram, classes, 4, (found.penalty,))
    assert torch.equal(found.held_out, alone.held_out)
    assert len(found.coefficients) == 40
