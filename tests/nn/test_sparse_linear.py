import numpy as np
import pytest
import torch
from scipy import sparse
from torch import nn

from diffresnet.graph import product as _product
from diffresnet.nn.sparse_linear import SparseLinear


def test_equals_a_linear_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_product, "COLUMNS", 16)
    monkeypatch.setattr(_product, "CACHED", 100)  # several blocks
    features = (np.random.default_rng(0).random((30, 12)) < 0.2).astype(np.float32)
    torch.manual_seed(0)
    plain = nn.Linear(12, 40)
    torch.manual_seed(0)
    layer = SparseLinear(sparse.csr_array(features), 40)
    expected, found = plain(torch.from_numpy(features)), layer()
    assert torch.allclose(found, expected, atol=1e-6)
    places, blocks = zip(*layer.in_blocks(), strict=True)
    assert [(place.start, place.stop) for place in places] == [(0, 16), (16, 32), (32, 40)]
    assert torch.allclose(torch.cat(blocks, dim=1), expected, atol=1e-6)
    assert not blocks[0].requires_grad
    assert all(torch.is_grad_enabled() for _ in layer.in_blocks())  # the caller's gradients stay on
    other = torch.randn(12, 3, requires_grad=True)
    assert torch.allclose(layer.multiply(other), torch.from_numpy(features) @ other, atol=1e-6)
    for result in (expected, found):
        result.square().sum().backward()
    assert layer.weight.grad is not None
    assert plain.weight.grad is not None
    assert torch.allclose(layer.weight.grad, plain.weight.grad.mT, atol=1e-5)
    assert layer.bias.grad is not None
    assert plain.bias.grad is not None
    assert torch.allclose(layer.bias.grad, plain.bias.grad, atol=1e-5)
