"""Pictures: from files or arrays to Pillow's images, or one sentence that says why not."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from diffresnet._support.checks import fail
from diffresnet._support.extras import needs_extra
from diffresnet._support.reading import open_regular
from diffresnet.encoders.items import UnreadableError

if TYPE_CHECKING:
    from PIL.Image import Image

PictureSource: TypeAlias = "Path | NDArray[np.uint8]"
"""A file, or pixels (height, width) or (height, width, channels)."""

SUFFIXES = (".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp")
FORMATS = ("BMP", "GIF", "JPEG", "PNG", "TIFF", "WEBP")
"""What files are read as, whatever their names: some of Pillow's others start other programs."""

MOST_BYTES = 2**30
"""Of a file."""

THUMBNAIL_SIDE, THUMBNAIL_QUALITY = 72, 80


def read_content(source: PictureSource) -> bytes:
    """Return what tells pictures apart: the bytes of the file, or the shape and the pixels.

    Raises:
        UnreadableError: if it is no regular file, which one could wait for without end, is larger
            than `MOST_BYTES`, or cannot be read.
    """
    if isinstance(source, np.ndarray):
        return repr(source.shape).encode() + np.ascontiguousarray(source).tobytes()
    try:
        with open_regular(source, MOST_BYTES) as stream:
            return stream.read()
    except OSError as error:
        raise UnreadableError(error.strerror or str(error)) from error


def open_picture(source: PictureSource, n_channels: int = 3) -> Image:
    """Return a picture in gray (1 channel) or in red, green and blue (3).

    Transparent parts become white; pictures with 16 bits are scaled to 8; of several frames the
    first is taken; and a photograph is turned as its camera says.

    Raises:
        UnreadableError: if it is damaged, empty, or no picture of the `FORMATS`.
    """
    with needs_extra("open_picture", "images"):
        from PIL import Image, UnidentifiedImageError  # noqa: PLC0415
    try:
        if isinstance(source, np.ndarray):
            gray = source.shape[2:] == (1,)
            picture = Image.fromarray(source[:, :, 0] if gray else source)
        else:
            content = io.BytesIO(read_content(source))
            with Image.open(content, formats=FORMATS) as opened:
                opened.load()
                picture = _turn(opened)
        return _convert(picture, "L" if n_channels == 1 else "RGB")
    except UnidentifiedImageError as error:
        raise UnreadableError(f"cannot identify image file as {', '.join(FORMATS)}") from error
    except Exception as error:  # damaged files make Pillow raise errors of all kinds
        raise UnreadableError(str(error) or type(error).__name__) from error


def make_thumbnail(source: PictureSource) -> bytes:
    """Return a picture of at most 72 x 72 pixels as JPEG, for reports to show."""
    picture = open_picture(source)
    picture.thumbnail((THUMBNAIL_SIDE, THUMBNAIL_SIDE))
    stream = io.BytesIO()
    picture.save(stream, "JPEG", quality=THUMBNAIL_QUALITY)
    return stream.getvalue()


def check_pixels(function: str, pixels: NDArray[Any]) -> NDArray[np.uint8]:
    """Return pictures (n, height, width) or (n, height, width, channels) as 8-bit pixels.

    Numbers between 0 and 1 are scaled to 255. What is no picture is a `ValueError`.
    """
    if pixels.ndim not in (3, 4) or pixels.size == 0 or pixels.dtype.kind not in "uif":
        must = "pictures of shape (n, height, width) or (n, height, width, channels)"
        got = f"shape {pixels.shape} of {pixels.dtype}"
        fail(function, "images", must, got, "Save one picture a row, channels last.")
    if pixels.ndim == 4 and pixels.shape[3] not in (1, 3, 4):
        got, remedy = f"{pixels.shape[3]} channels", "Put the channels last."
        fail(function, "images", "of 1, 3 or 4 channels", got, remedy)
    if pixels.dtype == np.uint8:
        return pixels
    least, largest = float(pixels.min()), float(pixels.max())
    if not 0 <= least <= largest <= 255:
        got, remedy = f"{least:g} to {largest:g}", "Scale them to 0 to 255."
        fail(function, "images", "between 0 and 255, or 0 and 1", got, remedy)
    whole = pixels.dtype.kind != "f" or largest > 1
    return np.round(pixels if whole else pixels * 255.0).astype(np.uint8)


def _turn(picture: Image) -> Image:
    """Return a photograph as its camera says; a damaged remark of the camera does not count."""
    from PIL import ImageOps  # noqa: PLC0415

    try:
        return ImageOps.exif_transpose(picture)
    except Exception:
        return picture.copy()


def _white(mode: str, largest: float) -> int:
    """Return the number that is white: 16 bits, or as the numbers look."""
    if not np.isfinite(largest):
        raise UnreadableError("it has numbers that are not finite")
    if mode.startswith("F") and largest <= 1:
        return 1
    return 65_535 if mode.startswith("I;16") or largest > 255 else 255


def _convert(picture: Image, mode: str) -> Image:
    from PIL import Image  # noqa: PLC0415

    if picture.mode.startswith(("I", "F")):
        numbers = np.array(picture, dtype=np.float32)  # in place: there may be 10^8 of them
        top = _white(picture.mode, float(numbers.max(initial=0)))
        numbers.clip(0, top, out=numbers)
        numbers *= 255 / top
        picture = Image.fromarray(numbers.round(out=numbers).astype(np.uint8))
    if picture.has_transparency_data:
        picture = picture.convert("RGBA")
        white = Image.new("RGBA", picture.size, "white")
        picture = Image.alpha_composite(white, picture)
    return picture.convert(mode)
