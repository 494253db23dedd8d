import numpy as np
import pytest
import torch

from diffresnet.encoders.framing import Framing
from tests.encoders.examples import Image


def test_the_center_is_cut_out() -> None:
    pixels = np.zeros((20, 30), dtype=np.uint8)
    pixels[5:15, 10:20] = 255
    framing = Framing(image_size=10, resize=20, n_channels=1, mean=(0.0,), std=(1.0,))
    assert torch.equal(framing.frame(Image.fromarray(pixels)), torch.ones(1, 10, 10))


def test_the_shorter_side_is_scaled() -> None:
    framing = Framing(image_size=84, resize=96)
    for size in ((300, 200), (200, 300), (50, 31), (96, 96), (97, 96)):
        assert framing.frame(Image.new("RGB", size)).shape == (3, 84, 84)


def test_pixels_are_normalized() -> None:
    framing = Framing(4, 4, mean=(0.5, 0.2, 0.0), std=(0.5, 0.1, 1.0))
    seen = framing.frame(Image.new("RGB", (4, 4), (255, 51, 0)))
    torch.testing.assert_close(seen[:, 0, 0], torch.tensor([1.0, 0.0, 0.0]))


def test_wrong_sizes() -> None:
    with pytest.raises(ValueError, match=r"`resize` must be at least `image_size` \(84\), got 80"):
        Framing(84, 80)
    with pytest.raises(ValueError, match="`mean` must be one number for each of 1 channels"):
        Framing(n_channels=1)
