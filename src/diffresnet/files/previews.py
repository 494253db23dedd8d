"""What the points of a file look like: thumbnails, kept beside their features."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diffresnet._support.checks import fail

BYTES, ENDS = "thumbnails", "thumbnail_ends"


def pack_thumbnails(thumbnails: Sequence[bytes]) -> dict[str, NDArray[Any]]:
    """Return arrays for an .npz file: all bytes in a row, and where each picture ends."""
    return {
        BYTES: np.frombuffer(b"".join(thumbnails), dtype=np.uint8),
        ENDS: np.cumsum([len(one) for one in thumbnails], dtype=np.int64),
    }


def unpack_thumbnails(arrays: Mapping[str, NDArray[Any]]) -> list[bytes]:
    """Return the pictures that `pack_thumbnails` packed; other arrays are a `ValueError`."""
    content, ends = arrays[BYTES], arrays[ENDS]
    fits = content.dtype == np.uint8 and content.ndim == 1 and ends.dtype.kind in "iu"
    fits = fits and ends.ndim == 1 and bool((np.diff(ends, prepend=0) >= 0).all())
    if not fits or int(ends[-1] if len(ends) else 0) != len(content):
        got, remedy = "something else", "Write the file again."
        fail("unpack_thumbnails", "arrays", f"`{BYTES}` and `{ENDS}`", got, remedy)
    pairs = zip(ends - np.diff(ends, prepend=0), ends, strict=True)
    return [content[begin:end].tobytes() for begin, end in pairs]
