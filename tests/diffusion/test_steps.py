import pytest
import torch
from torch import Tensor

from diffresnet import DiffusionOperator
from diffresnet._support.types import DiffusionMethod
from diffresnet.diffusion import steps as _steps


def randn(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def symmetric() -> Tensor:
    weights = randn(40, 40).abs()
    return weights + weights.mT


@pytest.mark.parametrize(
    ("weights", "n_columns", "n_steps", "expected"),
    [
        (symmetric().to_sparse_csr(), 2, 900, "chebyshev"),
        (symmetric().to_sparse_csr(), 2, 5, "euler"),
        (symmetric().expand(3, 40, 40), 100, 10, "power"),
        (symmetric().expand(3, 40, 40), 1, 10, "euler"),
        (randn(40, 40).abs().to_sparse_csr(), 2, 900, "euler"),  # not symmetric
    ],
)
def test_auto_takes_the_cheapest(
    weights: Tensor, n_columns: int, n_steps: int, expected: DiffusionMethod
) -> None:
    operator = DiffusionOperator(weights)
    step_size = operator.max_convex_step_size
    assert _steps.cheapest(operator, n_columns, step_size, n_steps, 1e-6) == expected
    x = randn(*weights.shape[:-1], n_columns)
    by_auto, by_name = (
        _steps.take_steps(operator, x, step_size, n_steps, method=method, tolerance=1e-6)
        for method in ("auto", expected)
    )
    assert torch.equal(by_auto, by_name)


def test_a_step_and_its_transpose() -> None:
    weights = randn(5, 5).abs()
    for layout in (weights, weights.to_sparse_csr()):
        step = DiffusionOperator(layout).step(0.1)
        torch.testing.assert_close(step.transposed.to_dense(), step.matrix.to_dense().mT)
