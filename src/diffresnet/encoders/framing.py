"""How a picture becomes the numbers that a network sees: size, crop, and normalization."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import torch
from torch import Tensor

from diffresnet._support.checks import check_choice, check_count, check_real, fail

if TYPE_CHECKING:
    from PIL.Image import Image

IMAGENET_MEAN = (0.485, 0.456, 0.406)
IMAGENET_STD = (0.229, 0.224, 0.225)
LARGEST = 2048
"""Side of a picture that a network sees; a larger one would fill the memory."""

MOST_LONG = 16
"""A picture that is this many times as long as it is wide is cut before it is scaled."""


@dataclass(frozen=True)
class Framing:
    """Scale the shorter side, cut out the center, and normalize.

    Attributes:
        image_size: height and width of what a network sees.
        resize: length of the shorter side before the center is cut out; at least `image_size`.
        n_channels: 1 (gray) or 3.
        mean: subtracted from pixels between 0 and 1, for each channel.
        std: they are divided by it afterwards.
        filter: of scaling.

    Raises:
        ValueError: if the sizes do not fit, or something is no number.
    """

    image_size: int = 84
    resize: int = 96
    n_channels: int = 3
    mean: tuple[float, ...] = IMAGENET_MEAN
    std: tuple[float, ...] = IMAGENET_STD
    filter: Literal["bilinear", "bicubic"] = "bilinear"

    def __post_init__(self) -> None:
        check_count("Framing", "image_size", self.image_size, low=1)
        room = "the largest that memory has room for"
        check_count("Framing", "resize", self.resize, low=1, high=LARGEST, of=room)
        if self.resize < self.image_size:
            must = f"at least `image_size` ({self.image_size})"
            fail("Framing", "resize", must, self.resize, "Raise `resize`.")
        if self.n_channels not in (1, 3):
            fail("Framing", "n_channels", "1 or 3", self.n_channels, "Choose one of these.")
        if not len(self.mean) == len(self.std) == self.n_channels:
            must = f"one number for each of {self.n_channels} channels"
            fail("Framing", "mean", must, f"{self.mean}, {self.std}", "Give one a channel.")
        for mean, std in zip(self.mean, self.std, strict=True):
            check_real("Framing", "mean", abs(mean), zero=True)
            check_real("Framing", "std", std)
        check_choice("Framing", "filter", self.filter, ("bilinear", "bicubic"))

    def frame(self, picture: Image) -> Tensor:
        """Return the center of a picture, (n_channels, image_size, image_size)."""
        from PIL.Image import Resampling  # noqa: PLC0415

        least, largest = min(picture.size), max(picture.size)
        if largest > MOST_LONG * least:
            width, height = (min(side, MOST_LONG * least) for side in picture.size)
            left, top = (picture.width - width) // 2, (picture.height - height) // 2
            picture = picture.crop((left, top, left + width, top + height))
        scale = self.resize / least
        sides = [max(round(scale * side), self.resize) for side in picture.size]
        kind = Resampling.BICUBIC if self.filter == "bicubic" else Resampling.BILINEAR
        if tuple(sides) != picture.size:
            picture = picture.resize((sides[0], sides[1]), kind)
        left, top = ((side - self.image_size) // 2 for side in picture.size)
        box = left, top, left + self.image_size, top + self.image_size
        return self.normalize(picture.crop(box))

    def normalize(self, picture: Image) -> Tensor:
        """Return the pixels of a picture as numbers, (n_channels, height, width)."""
        pixels = np.asarray(picture, dtype=np.float32)
        numbers = torch.from_numpy(pixels / 255).reshape(*pixels.shape[:2], -1).permute(2, 0, 1)
        mean, std = (torch.tensor(one)[:, None, None] for one in (self.mean, self.std))
        return (numbers - mean) / std
