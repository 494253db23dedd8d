"""Files of NumPy arrays, without pickle; with a description beside them, or not."""

import io
import json
import tokenize
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from diffresnet._support.checks import fail, refuse
from diffresnet._support.words import reason_of
from diffresnet._support.writing import write_whole

Array = npt.NDArray[Any]
ARRAYS = (".npy", ".npz")
ALONE = ""
"""The name of the array of an .npy file."""

UNREADABLE = (
    *(ValueError, TypeError, KeyError, AttributeError, IndexError, SyntaxError),
    *(OSError, EOFError, OverflowError, NotImplementedError, RuntimeError),
    *(BadZipFile, zlib.error, tokenize.TokenError),
)
"""What NumPy raises on files that are damaged, or no files of arrays at all."""

FORMAT = 2
DESCRIPTION = "description"


def write_described(
    path: Path, arrays: Mapping[str, Array], description: Mapping[str, Any]
) -> Path:
    """Write arrays, and a description that JSON can hold, whole or not at all."""
    text = json.dumps({"format": FORMAT, **description}, default=lambda number: number.tolist())
    return write_whole(path, encode_arrays({DESCRIPTION: np.array(text), **arrays}))


def encode_arrays(arrays: Mapping[str, Array]) -> bytes:
    """Return the content of an .npz file."""
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **arrays)
    return stream.getvalue()


def read_arrays(
    path: Path, what: str, *, wanted: Callable[[str], bool] = lambda _: True
) -> dict[str, Array]:
    """Return the arrays of an .npz file by name, or the one of an .npy file as `ALONE`.

    Nothing in the file is unpickled.

    Args:
        path: of the file.
        what: who asks for it, for messages.
        wanted: tells by name which arrays to read; all of them by default.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if it is no such file.
    """
    try:
        with path.open("rb") as stream:
            loaded = np.load(stream, allow_pickle=False)
            if isinstance(loaded, np.ndarray):
                return {ALONE: loaded}
            with loaded:
                return {name: loaded[name] for name in loaded.files if wanted(name)}
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {path}.") from None
    except UNREADABLE as error:
        reason = reason_of(error)
        if "pickle" in reason:  # NumPy's own advice is unsafe
            reason = "it has objects of Python, or no array at all"
        must = "a .npz or .npy file of plain arrays"
        refuse(what, must, f"{path} ({reason})", "Write it again, with texts as texts.")


def read_described(path: Path, function: str) -> tuple[dict[str, Array], dict[str, Any]]:
    """Read what `write_described` wrote, as `read_arrays` does; `function` is who asks."""
    arrays = read_arrays(path, f"{function}: `path`")
    description: dict[str, Any] = {}
    try:
        description = json.loads(str(arrays.pop(DESCRIPTION)))
        found = description["format"]
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        found = f"another one ({error})"
    if found != FORMAT:
        must, remedy = f"a saved model of format {FORMAT}", "Pass a file that `save` wrote."
        fail(function, "path", must, f"{path}, of format {found}", remedy)
    return arrays, description
