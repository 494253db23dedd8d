"""Files that are written whole or not at all."""

import json
import math
import os
import tempfile
from pathlib import Path
from typing import Any


def write_whole(path: Path, content: bytes) -> Path:
    """Write `content` to `path`, making its folder; an interruption leaves the old file or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    part = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        part.chmod(0o666 & ~_umask())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path


def encode_json(content: Any) -> bytes:
    """Return the content of a file of numbers for people: JSON with a line for each."""
    return (json.dumps(content, indent=1) + "\n").encode()


def finite(value: float) -> float | None:
    """Return a number as JSON can hold it: None if it is infinite or NaN."""
    return value if math.isfinite(value) else None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
