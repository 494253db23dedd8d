from typing import Any

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


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"resize": 10**9}, r"`resize` must be between 1 and .* \(2048\), got 1000000000"),
        ({"resize": "a"}, "`resize` must be an integer"),
        ({"n_channels": 2}, "`n_channels` must be 1 or 3, got 2"),
        ({"std": (1.0, 0.0, 1.0)}, "`std` must be a finite positive number, got 0"),
        ({"mean": (0.5, float("nan"), 0.5)}, "`mean` must be a finite number"),
        ({"filter": "best"}, "`filter` must be one of 'bilinear', 'bicubic'"),
    ],
)
def test_what_would_make_no_numbers(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Framing(**settings)


@pytest.mark.parametrize("turned", [False, True])
def test_a_thread_is_cut_before_it_is_scaled(turned: bool) -> None:
    pixels = np.zeros((2, 30_001), dtype=np.uint8)  # scaled as a whole it would take gigabytes
    pixels[:, 14_000:16_000] = 255
    framing = Framing(image_size=1024, resize=2048, n_channels=1, mean=(0.0,), std=(1.0,))
    seen = framing.frame(Image.fromarray(pixels.T if turned else pixels))
    assert torch.equal(seen, torch.ones(1, 1024, 1024))
