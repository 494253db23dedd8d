"""Small copies of pictures, kept beside their features so that reports can show them."""

import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diffresnet._checks import fail
from diffresnet.encoders.pictures import PictureSource, open_picture

SIDE = 72
QUALITY = 80
BYTES, ENDS = "thumbnails", "thumbnail_ends"


def make_thumbnail(source: PictureSource) -> bytes:
    """Return a picture of at most 72 x 72 pixels as JPEG.

    Raises:
        UnreadableError: if the picture cannot be read.
    """
    picture = open_picture(source)
    picture.thumbnail((SIDE, SIDE))
    stream = io.BytesIO()
    picture.save(stream, "JPEG", quality=QUALITY)
    return stream.getvalue()


def pack_thumbnails(thumbnails: Sequence[bytes]) -> dict[str, NDArray[Any]]:
    """Return arrays for an .npz file: all bytes in a row, and where each picture ends."""
    return {
        BYTES: np.frombuffer(b"".join(thumbnails), dtype=np.uint8),
        ENDS: np.cumsum([len(one) for one in thumbnails], dtype=np.int64),
    }


def unpack_thumbnails(arrays: Mapping[str, NDArray[Any]]) -> list[bytes]:
    """Return the pictures that `pack_thumbnails` packed.

    Raises:
        ValueError: if the arrays are something else.
    """
    content, ends = arrays[BYTES], arrays[ENDS]
    fits = content.dtype == np.uint8 and content.ndim == 1 and ends.dtype.kind in "iu"
    fits = fits and ends.ndim == 1 and bool((np.diff(ends, prepend=0) >= 0).all())
    if not fits or int(ends[-1] if len(ends) else 0) != len(content):
        got, remedy = "something else", "Write the file again."
        fail("unpack_thumbnails", "arrays", f"`{BYTES}` and `{ENDS}`", got, remedy)
    pairs = zip(ends - np.diff(ends, prepend=0), ends, strict=True)
    return [content[begin:end].tobytes() for begin, end in pairs]
