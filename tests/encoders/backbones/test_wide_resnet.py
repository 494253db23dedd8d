import pytest
import torch

from diffresnet.encoders.backbones.wide_resnet import WideResNet
from tests.encoders.examples import count_parameters, has_gradients


def test_wrn_28_10_has_the_parameters_of_the_literature() -> None:
    # 36,479,194 parameters (36.5 M) with the layer of 10 classes of CIFAR-10 (6,410).
    network = WideResNet()
    assert count_parameters(network) == 36_479_194 - 6_410
    assert network.n_features == 640


def test_wrn_28_10_forward_and_backward() -> None:
    network = WideResNet()
    features = network(torch.randn(1, 3, 84, 84))
    assert features.shape == (1, 640)
    features.sum().backward()
    assert has_gradients(network)


def test_two_stages_halve_the_image() -> None:
    network = WideResNet(depth=10, widening=1).eval()
    assert network.blocks(torch.zeros(1, 16, 84, 84)).shape == (1, 64, 21, 21)


def test_depth_must_fit_three_stages() -> None:
    with pytest.raises(ValueError, match="WideResNet: `depth` must be 6 n \\+ 4, got 27"):
        WideResNet(depth=27)
