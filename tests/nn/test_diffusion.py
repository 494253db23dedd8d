from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from diffresnet import DiffusionOperator
from diffresnet._support.types import DiffusionMethod
from diffresnet.nn import Diffusion
from diffresnet.nn.diffusion import DropoutOrder


def randn(*shape: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def make_operator(n_points: int = 5) -> DiffusionOperator:
    weights = randn(n_points, n_points).abs()
    return DiffusionOperator((weights + weights.mT) / (2 * n_points))


@pytest.mark.parametrize("shape", [(5,), (5, 3), (5, 2, 4, 4)])
def test_is_the_operator_as_a_layer(shape: tuple[int, ...]) -> None:
    operator, x = make_operator(), randn(*shape)
    layer = Diffusion(0.5, 7)
    assert list(layer.parameters()) == []
    torch.testing.assert_close(layer(x, operator), operator.diffuse(x, 0.5, 7, method="euler"))


def test_batches_of_problems() -> None:
    operator = make_operator()
    batch = DiffusionOperator(operator.weights.expand(3, 5, 5))
    x = randn(3, 5, 2)
    layer = Diffusion(0.5, 7)
    torch.testing.assert_close(layer(x, batch)[1], layer(x[1], operator))


@pytest.mark.parametrize("method", ["euler", "chebyshev", "power"])
def test_gradients(method: DiffusionMethod) -> None:
    operator = make_operator()
    layer = Diffusion(0.5, 4, method=method)
    x = randn(5, 2).requires_grad_()

    def forward(y: Tensor) -> Tensor:
        return layer(y, operator)

    assert torch.autograd.gradcheck(forward, (x,))


@pytest.mark.parametrize("order", ["before", "after"])
def test_dropout_comes_at_every_step(order: DropoutOrder) -> None:
    operator, x = make_operator(), torch.ones(5, 1000, dtype=torch.float64)
    layer = Diffusion(0.5, 2, dropout=0.3, dropout_order=order)
    torch.manual_seed(0)
    found = layer(x, operator)
    torch.manual_seed(0)
    expected = x
    for _ in range(2):
        if order == "before":
            expected = torch.nn.functional.dropout(expected, 0.3)
        expected = operator.diffuse(expected, 0.5, 1)
        if order == "after":
            expected = torch.nn.functional.dropout(expected, 0.3)
    torch.testing.assert_close(found, expected)
    layer.eval()
    torch.testing.assert_close(layer(x, operator), x)


def test_half_precision_is_diffused_in_full() -> None:
    operator, x = make_operator().to(torch.float32), randn(5, 2).bfloat16()
    found = Diffusion(0.5, 20)(x, operator)
    assert found.dtype == torch.bfloat16
    assert torch.equal(found, operator.diffuse(x.float(), 0.5, 20).bfloat16())


def test_gradients_with_dropout() -> None:
    operator = make_operator()
    layer = Diffusion(0.5, 3, dropout=0.5)
    x = randn(5, 2).requires_grad_()

    def forward(y: Tensor) -> Tensor:
        torch.manual_seed(0)
        return layer(y, operator)

    assert torch.autograd.gradcheck(forward, (x,))


def test_prints_what_it_does() -> None:
    assert "step_size=0.5, n_steps=3, method='auto'" in repr(Diffusion(0.5, 3))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Diffusion(-1.0, 1), "Diffusion: `step_size` must be a finite number of at least"),
        (lambda: Diffusion(1.0, -1), "Diffusion: `n_steps` must be at least 0, got -1"),
        (
            lambda: Diffusion(1.0, 1, dropout=1.0),
            "Diffusion: `dropout` must be below 1, got 1. Lower `dropout`.",
        ),
        (
            lambda: Diffusion(1.0, 1, dropout_order="never"),  # type: ignore[arg-type]
            "Diffusion: `dropout_order` must be one of 'before', 'after', got 'never'",
        ),
        (
            lambda: Diffusion(0.5, 1)(randn(4, 2), make_operator(5)),
            "diffuse: `x` must be of shape \\(5, ...\\), the operator's points first, got shape",
        ),
    ],
)
def test_bad_input(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
