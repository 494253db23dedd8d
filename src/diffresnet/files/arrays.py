"""Arrays and a description in one .npz file, without pickle."""

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from diffresnet._support.checks import fail
from diffresnet._support.writing import write_whole

FORMAT = 1
DESCRIPTION = "description"


def write_described(
    path: Path, arrays: Mapping[str, npt.NDArray[Any]], description: Mapping[str, Any]
) -> Path:
    """Write arrays, and a description that JSON can hold, whole or not at all."""
    text = json.dumps({"format": FORMAT, **description}, default=_to_plain)
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **{DESCRIPTION: np.array(text)}, **arrays)
    return write_whole(path, buffer.getvalue())


def read_described(path: Path, function: str) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
    """Read what `write_described` wrote; `function` is who asks, for messages.

    Raises:
        ValueError: if the file holds anything else.
    """
    arrays: dict[str, npt.NDArray[Any]] = {}
    description: dict[str, Any] = {}
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        description = json.loads(str(arrays.pop(DESCRIPTION)))
        found = description["format"]
    except (KeyError, ValueError, TypeError, BadZipFile, EOFError, AttributeError) as error:
        found = f"another one ({error})"
    if found != FORMAT:
        must, remedy = f"a saved model of format {FORMAT}", "Pass a file that `save` wrote."
        fail(function, "path", must, f"{path}, of format {found}", remedy)
    return arrays, description


def _to_plain(number: Any) -> Any:
    """Return a NumPy number or array as plain ones."""
    return number.tolist()
