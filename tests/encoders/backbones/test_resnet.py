import torch

from diffresnet.encoders.backbones.resnet import BasicBlock, ResNet
from tests.encoders.examples import count_parameters, has_gradients


def test_resnet18_has_the_parameters_of_the_literature() -> None:
    # ResNet-18 with a 3 x 3 stem for small images has 11,173,962 parameters with its layer of 10
    # classes (5,130), as every table of CIFAR-10 says.
    assert count_parameters(ResNet()) == 11_173_962 - 5_130
    assert ResNet().n_features == 512


def test_it_takes_84_pixels_forward_and_backward() -> None:
    network = ResNet()
    features = network(torch.randn(2, 3, 84, 84))
    assert features.shape == (2, 512)
    features.sum().backward()
    assert has_gradients(network)


def test_three_stages_halve_the_image() -> None:
    assert ResNet().eval().blocks(torch.zeros(1, 64, 84, 84)).shape == (1, 512, 11, 11)


def test_one_block_a_stage_and_a_stem_with_stride_is_cheaper() -> None:
    network = ResNet(1, (1, 1, 1, 1), stem_stride=2)
    assert count_parameters(network) < count_parameters(ResNet()) / 2
    assert network.stem(torch.zeros(1, 1, 64, 64)).shape == (1, 64, 32, 32)
    assert network(torch.zeros(2, 1, 64, 64)).shape == (2, 512)


def test_a_block_without_weights_is_the_shortcut() -> None:
    block = BasicBlock(64, 64, 1)
    torch.nn.init.zeros_(block.normalize2.weight)
    images = torch.rand(2, 64, 8, 8)
    torch.testing.assert_close(block(images), images)
