import pytest
import torch
from torch import nn

from diffresnet.nn import ResidualBlock
from diffresnet.nn.residual_block import one_layer, two_layers


def test_formulas() -> None:
    x = torch.randn(6, 3)
    inner = two_layers(3, width=5)
    first, _, second = inner
    torch.testing.assert_close(ResidualBlock(inner)(x), x + second(first(x).relu()))
    inner = one_layer(3)
    torch.testing.assert_close(ResidualBlock(inner)(x), x + inner[0](x).relu())


def test_any_inner_module() -> None:
    images = torch.randn(2, 3, 8, 8)
    block = ResidualBlock(nn.Conv2d(3, 3, kernel_size=3, padding=1))
    assert block(images).shape == images.shape


@pytest.mark.parametrize("inner", [two_layers(2, 3), one_layer(2)])
def test_gradients(inner: nn.Module) -> None:
    block = ResidualBlock(inner).double()
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(4, 2, generator=generator, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(block, (x,))


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="ResidualBlock: `inner` must be a module that keeps"):
        ResidualBlock(nn.Linear(3, 1))(torch.randn(4, 3))
    with pytest.raises(ValueError, match="two_layers: `width` must be at least 1, got 0"):
        two_layers(3, width=0)
    with pytest.raises(ValueError, match="one_layer: `n_features` must be at least 1, got 0"):
        one_layer(0)
