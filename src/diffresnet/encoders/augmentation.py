"""Pictures changed at random, so that a network learns what does not matter."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from PIL.Image import Image

N_TRIES = 10


Augmentation: TypeAlias = "Callable[[Image, int, np.random.Generator], Image]"
"""Changes a picture at random, to one of `size` x `size`."""


@dataclass(frozen=True)
class PhotoAugmentation:
    """A random part of a photograph at random proportions, mirrored or not, in other colors.

    Attributes:
        least_area: part of the area that is kept, at least.
        jitter: brightness, contrast and color each change by a factor of up to 1 ± `jitter`.
    """

    least_area: float = 0.08
    jitter: float = 0.4

    def __call__(self, picture: Image, size: int, random: np.random.Generator, /) -> Image:
        """Return a picture of `size` x `size`."""
        from PIL import ImageEnhance, ImageOps  # noqa: PLC0415
        from PIL.Image import Resampling  # noqa: PLC0415

        box = self._draw_box(picture.size, random)
        picture = picture.resize((size, size), Resampling.BILINEAR, box=box)
        if random.random() < 0.5:
            picture = ImageOps.mirror(picture)
        kinds = (ImageEnhance.Brightness, ImageEnhance.Contrast, ImageEnhance.Color)
        for place in random.permutation(len(kinds)):
            factor = random.uniform(1 - self.jitter, 1 + self.jitter)
            picture = kinds[place](picture).enhance(factor)
        return picture

    def _draw_box(
        self, sides: tuple[int, int], random: np.random.Generator
    ) -> tuple[int, int, int, int]:
        """Draw a part of between `least_area` and all, with sides of 3 to 4 up to 4 to 3."""
        width, height = sides
        for _ in range(N_TRIES):
            area = width * height * random.uniform(self.least_area, 1)
            ratio = math.exp(random.uniform(math.log(3 / 4), math.log(4 / 3)))
            wide, high = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
            if 0 < wide <= width and 0 < high <= height:
                left = int(random.integers(width - wide + 1))
                top = int(random.integers(height - high + 1))
                return left, top, left + wide, top + high
        wide, high = min(width, round(height * 4 / 3)), min(height, round(width * 4 / 3))
        left, top = (width - wide) // 2, (height - high) // 2
        return left, top, left + wide, top + high


@dataclass(frozen=True)
class DrawingAugmentation:
    """A drawing moved, turned and scaled a little; never mirrored, which would be another one.

    Attributes:
        shift: pixels to each side, at most.
        turn: degrees, at most.
        zoom: change of size by a factor of up to 1 ± `zoom`.
    """

    shift: float = 2.0
    turn: float = 10.0
    zoom: float = 0.1

    def __call__(self, picture: Image, size: int, random: np.random.Generator, /) -> Image:
        """Return a picture of `size` x `size`."""
        from PIL import ImageOps  # noqa: PLC0415
        from PIL.Image import Resampling, Transform  # noqa: PLC0415

        picture = ImageOps.fit(picture, (size, size), Resampling.BILINEAR)
        angle = math.radians(random.uniform(-self.turn, self.turn))
        scale = 1 / random.uniform(1 - self.zoom, 1 + self.zoom)
        right, down = random.uniform(-self.shift, self.shift, 2)
        cos, sin, middle = scale * math.cos(angle), scale * math.sin(angle), size / 2
        first = cos, -sin, middle - cos * middle + sin * middle + right
        second = sin, cos, middle - sin * middle - cos * middle + down
        rows, edge = (*first, *second), picture.getpixel((0, 0))
        sides = (size, size)
        return picture.transform(sides, Transform.AFFINE, rows, Resampling.BILINEAR, fillcolor=edge)
