"""Files of NumPy arrays, without pickle; with a description beside them, or not."""

import io
import json
import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any
from zipfile import ZipFile

import numpy as np
import numpy.typing as npt

from diffresnet._support.checks import fail
from diffresnet._support.words import reason_of
from diffresnet._support.writing import write_whole
from diffresnet.files.opening import UNREADABLE, check_members, is_zip, opened, size_of

Array = npt.NDArray[Any]
ARRAYS = (".npy", ".npz")
ALONE = ""
"""The name of the array of an .npy file."""

NUMBERS = "biuf"
"""Kinds of arrays that can be features."""

HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
"""How the beginning of an array is read, by its version."""

FORMAT = 3
DESCRIPTION = "description"


def write_described(
    path: Path, arrays: Mapping[str, Array], description: Mapping[str, Any]
) -> Path:
    """Write what `encode_described` returns, whole or not at all."""
    return write_whole(path, encode_described(arrays, description))


def encode_described(arrays: Mapping[str, Array], description: Mapping[str, Any]) -> bytes:
    """Return an .npz file of arrays, and of a description that JSON can hold."""
    text = json.dumps({"format": FORMAT, **description}, default=lambda number: number.tolist())
    return encode_arrays({DESCRIPTION: np.array(text), **arrays})


def encode_arrays(arrays: Mapping[str, Array]) -> bytes:
    """Return the content of an .npz file."""
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **arrays)
    return stream.getvalue()


def read_arrays(
    path: Path,
    what: str,
    *,
    wanted: Callable[[str], bool] = lambda _: True,
    is_mapped: bool = False,
) -> dict[str, Array]:
    """Return the arrays of an .npz file by name, or the one of an .npy file as `ALONE`.

    Nothing in the file is unpickled.

    Args:
        path: of the file.
        what: who asks for it, for messages.
        wanted: tells by name which arrays to read; all of them by default.
        is_mapped: whether numbers of an .npy file stay on the disk until they are looked at; they
            cannot be written to.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if it is no such file.
    """
    must, remedy = "a .npz or .npy file of plain arrays", "Write it again, with texts as texts."
    with opened(path, what, must, remedy) as stream:
        if not is_zip(stream):
            return {ALONE: _read_array(stream, size_of(stream), is_mapped=is_mapped)}
        with ZipFile(stream) as archive:
            names = {one: one.filename.removesuffix(".npy") for one in archive.infolist()}
            members = [one for one, name in names.items() if wanted(name)]
            check_members(members, size_of(stream))
            arrays: dict[str, Array] = {}
            for member in members:
                with archive.open(member) as content:
                    arrays[names[member]] = _read_array(content, member.file_size)
            return arrays


def _read_array(stream: IO[bytes], size: int, *, is_mapped: bool = False) -> Array:
    """Read one array from `size` bytes, or raise; memory is taken when its own size is known."""
    version = np.lib.format.read_magic(stream)
    if version not in HEADERS:
        raise ValueError("an array of an unknown version")
    shape, is_fortran, dtype = HEADERS[version](stream)
    if dtype.hasobject or dtype.kind == "V":
        raise ValueError("it has objects of Python, or records")
    n_bytes, n_left = math.prod(shape) * max(dtype.itemsize, 1), size - stream.tell()
    if n_bytes > n_left:
        raise ValueError(f"an array of {n_bytes:,} bytes is promised, and {n_left:,} are there")
    if is_mapped and n_bytes and dtype.kind in NUMBERS:
        source: Any = stream
        order = "F" if is_fortran else "C"
        return np.asarray(np.memmap(source, dtype, "r", stream.tell(), shape, order))
    stream.seek(0)
    array = np.lib.format.read_array(stream, allow_pickle=False)
    if dtype.kind == "U" and (_code_points(array) > sys.maxunicode).any():
        raise ValueError("it has texts of characters that do not exist")
    return array


def _code_points(texts: Array) -> Array:
    """Return the numbers of the characters of texts: NumPy does not look at them."""
    return np.ascontiguousarray(texts).view(np.dtype("u4").newbyteorder(texts.dtype.byteorder))


def is_described(path: Path) -> bool:
    """Tell whether a file has a description, as what `write_described` wrote has; never raises."""
    try:
        return DESCRIPTION in read_arrays(path, "path", wanted=DESCRIPTION.__eq__)
    except (OSError, ValueError):
        return False


def read_described(path: Path, function: str) -> tuple[dict[str, Array], dict[str, Any]]:
    """Read what `write_described` wrote, as `read_arrays` does; `function` is who asks."""
    arrays = read_arrays(path, f"{function}: `path`")
    description: dict[str, Any] = {}
    try:
        description = json.loads(str(arrays.pop(DESCRIPTION)))
        found = description["format"]
    except UNREADABLE as error:
        found = f"another one ({reason_of(error)})"
    if found != FORMAT:
        must, remedy = f"a saved model of format {FORMAT}", "Pass a file that `save` wrote."
        fail(function, "path", must, f"{path}, of format {found}", remedy)
    return arrays, description
