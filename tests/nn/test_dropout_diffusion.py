import numpy as np
import pytest
import torch

from diffresnet import DiffusionOperator, graph_weights
from diffresnet.graph import product as _product
from diffresnet.nn.dropout_diffusion import DropoutDiffusion
from tests.nodes.examples import clusters


def operator(dtype: torch.dtype = torch.float64) -> DiffusionOperator:
    return clusters().operator.to(dtype)


def test_without_dropout_it_is_diffusion() -> None:
    x = torch.randn(120, 30, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    found = DropoutDiffusion(operator(), 0.1, 7, 0.0)(x, np.random.default_rng(0))
    assert torch.allclose(found, operator().diffuse(x, 0.1, 7))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_equals_the_plain_loop(dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_product, "COLUMNS", 8)
    monkeypatch.setattr(_product, "CACHED", 1000)  # several blocks
    x = torch.randn(120, 20, dtype=dtype, generator=torch.Generator().manual_seed(0))
    steps = DropoutDiffusion(operator(dtype), 0.1, 4, 0.3)
    kept = [
        steps.draw(block, random)
        for random in [np.random.default_rng(5)]
        for block in _product.column_blocks(x)
    ]
    masks = torch.from_numpy(np.concatenate(kept, axis=2)).to(dtype) / (1 - steps.rate / 256)
    plain = x.clone().requires_grad_()
    now = plain
    for mask in masks:
        now = operator(dtype).diffuse(now * mask, 0.1, 1)
    fast = x.clone().requires_grad_()
    found = steps(fast, np.random.default_rng(5))
    assert torch.allclose(found, now, atol=1e-5)
    weights = torch.randn(120, 20, dtype=dtype, generator=torch.Generator().manual_seed(1))
    for result in (now, found):
        (result * weights).sum().backward()
    assert fast.grad is not None
    assert plain.grad is not None
    assert torch.allclose(fast.grad, plain.grad, atol=1e-5)


def test_rate_and_mean() -> None:
    steps = DropoutDiffusion(operator(), 0.1, 5, 0.35)
    random = np.random.default_rng(5)
    kept = steps.draw(torch.empty(120, 100), random)
    assert abs(kept.mean() - 0.65) < 0.006
    ones = torch.ones(120, 2000, dtype=torch.float64)
    assert abs(float(steps(ones, random).mean()) - 1) < 0.02


def test_wrong_arguments() -> None:
    directed = DiffusionOperator(torch.tensor([[0.0, 1.0], [0.0, 0.0]]))
    with pytest.raises(ValueError, match="`operator` must be symmetric"):
        DropoutDiffusion(directed, 0.1, 1, 0.1)
    with pytest.raises(ValueError, match="`operator` must be sparse, got dense weights"):
        DropoutDiffusion(DiffusionOperator(graph_weights(torch.ones(2, 2))), 0.1, 1, 0.1)
    with pytest.raises(ValueError, match="`dropout` must be below 1, got 1"):
        DropoutDiffusion(operator(), 0.1, 1, 1)
