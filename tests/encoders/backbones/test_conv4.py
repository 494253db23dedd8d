import pytest
import torch
from torch.nn.functional import relu

from diffresnet.encoders.backbones.conv4 import Conv4
from tests.encoders.examples import count_parameters, has_gradients


def test_it_has_the_parameters_of_the_literature() -> None:
    # 113,088 for images of three channels: 4 convolutions of 64 with biases and normalization.
    assert count_parameters(Conv4()) == 113_088


@pytest.mark.parametrize(("size", "n_features"), [(28, 64), (84, 1600)])
def test_features_and_gradients(size: int, n_features: int) -> None:
    network = Conv4(1, image_size=size)
    features = network(torch.randn(3, 1, size, size))
    assert features.shape == (3, n_features) == (3, network.n_features)
    features.sum().backward()
    assert has_gradients(network)


def test_relu_after_pooling_is_relu_before_it() -> None:
    images = torch.randn(2, 5, 8, 8)
    pool = torch.nn.functional.max_pool2d
    assert torch.equal(relu(pool(images, 2)), pool(relu(images), 2))


def test_too_small_images() -> None:
    with pytest.raises(ValueError, match="Conv4: `image_size` must be at least 16, got 15"):
        Conv4(image_size=15)
