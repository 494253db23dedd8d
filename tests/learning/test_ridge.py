import pytest
import torch
from torch.nn.functional import one_hot

from diffresnet.learning.ridge import BIAS, solve_ridge

GENERATOR = torch.Generator().manual_seed(0)


def random_gram(n_points: int) -> torch.Tensor:
    factors = torch.randn(n_points, 2 * n_points, generator=GENERATOR, dtype=torch.float64)
    gram = factors @ factors.mT
    return gram / gram.diagonal().mean()


@pytest.mark.parametrize(("n_labels", "bias"), [(3, 0.0), (6, BIAS)])
def test_held_out_scores_are_those_of_leaving_each_label_out(n_labels: int, bias: float) -> None:
    n_points = 3 * n_labels
    gram, classes = random_gram(n_points), torch.arange(3).repeat(n_labels)
    found = solve_ridge(gram, classes, 3, ridges=(0.3,))
    targets = one_hot(classes, 3).double() - 1 / 3
    kernel = gram + bias
    for out in range(n_points):
        rest = [one for one in range(n_points) if one != out]
        inner = kernel[rest][:, rest] + 0.3 * torch.eye(n_points - 1, dtype=torch.float64)
        expected = kernel[out, rest] @ torch.linalg.solve(inner, targets[rest])
        assert torch.allclose(found.held_out[out], expected)


def test_the_ridge_has_the_least_error() -> None:
    gram, classes = random_gram(20), torch.arange(4).repeat(5)
    chosen = solve_ridge(gram, classes, 4)
    errors = [solve_ridge(gram, classes, 4, ridges=(one,)).error for one in (1e-4, 1.0, 1e3)]
    assert chosen.error <= min(errors)
