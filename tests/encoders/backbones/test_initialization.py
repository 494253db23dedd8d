import torch
from torch import nn

from diffresnet.encoders.backbones.initialization import initialize


def test_convolutions_keep_the_size_of_gradients_and_normalization_is_identity() -> None:
    convolution, normalization = nn.Conv2d(32, 64, 3), nn.BatchNorm2d(64)
    nn.init.constant_(normalization.weight, 7.0)
    initialize(nn.Sequential(convolution, normalization))
    spread = convolution.weight.var()
    torch.testing.assert_close(spread, torch.tensor(2 / (64 * 9)), rtol=0.1, atol=0.0)
    assert torch.equal(normalization.weight, torch.ones(64))
    assert convolution.bias is not None
    assert torch.equal(convolution.bias, torch.zeros(64))
