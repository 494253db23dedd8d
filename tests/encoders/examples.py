"""Small sets of images for the tests of encoders."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from torch import nn

from diffresnet.encoders.image_set import ImageSet

Image = pytest.importorskip("PIL.Image", reason="the extra images is missing")


def count_parameters(network: nn.Module) -> int:
    return sum(parameter.numel() for parameter in network.parameters())


def has_gradients(network: nn.Module) -> bool:
    return all(
        one.grad is not None and bool(one.grad.isfinite().all()) for one in network.parameters()
    )


def make_drawings(
    n_classes: int = 4, n_each: int = 12, side: int = 16, seed: int = 0
) -> NDArray[np.uint8]:
    """Return pictures (n_classes, n_each, side, side): a pattern a class, with noise."""
    random = np.random.default_rng(seed)
    patterns = np.kron(random.integers(0, 2, (n_classes, 4, 4)), np.ones((side // 4, side // 4)))
    noisy = 180 * patterns[:, None] + random.uniform(0, 75, (n_classes, n_each, side, side))
    return noisy.astype(np.uint8)


def drawing_set(n_classes: int = 4, n_each: int = 12, side: int = 16, seed: int = 0) -> ImageSet:
    pixels = make_drawings(n_classes, n_each, side, seed)
    labels = [f"class {row}" for row in range(n_classes) for _ in range(n_each)]
    return ImageSet.from_arrays(pixels.reshape(-1, side, side), labels=labels)


def save_photo(path: Path, seed: int = 0, size: tuple[int, int] = (40, 30)) -> Path:
    """Write a picture of random colors."""
    pixels = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path)
    return path
