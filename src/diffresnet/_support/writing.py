"""Files that are written whole or not at all."""

import json
import math
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None


PREFIX, PART = ".diffresnet-", ".part"
"""How the name of a file begins and ends that is not whole yet."""


def write_whole(path: Path, content: bytes) -> Path:
    """Write `content` to `path`, making its folder; an interruption leaves the old file or none.

    What processes that were killed have left in the folder is removed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(path.parent)
    stream, part = _new_part(path.parent)
    try:
        with stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
            part.chmod(0o666 & ~_umask())
            if fcntl is not None:  # still locked: nobody takes it for a leftover
                part.replace(path)
        if fcntl is None:  # Windows moves closed files only
            part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path


def _new_part(folder: Path) -> tuple[IO[bytes], Path]:
    """Return a new file, locked as long as it is open."""
    while True:
        descriptor, name = tempfile.mkstemp(dir=folder, prefix=PREFIX, suffix=PART)
        stream = os.fdopen(descriptor, "wb")
        if fcntl is not None:
            with suppress(OSError):  # a disk without locks has no leftovers removed either
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return stream, Path(name)
        stream.close()  # another process was faster than the lock, and removed it


def _remove_leftovers(folder: Path) -> None:
    """Remove parts that nobody writes any longer: their locks ended with their processes."""
    if fcntl is None:
        return
    for part in folder.glob(f"{PREFIX}*{PART}"):
        with suppress(OSError):
            descriptor = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                part.unlink()
            finally:
                os.close(descriptor)


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
