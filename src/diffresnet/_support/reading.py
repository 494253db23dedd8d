"""Files of strangers, opened without waiting for what never comes."""

import stat
from pathlib import Path
from typing import BinaryIO


def open_regular(path: Path, most_bytes: int | None = None) -> BinaryIO:
    """Open a file for reading; pipes and devices, which may have no end, are refused.

    Args:
        path: of the file.
        most_bytes: that it may have; None for any number.

    Raises:
        OSError: if it is no regular file, is too large, or cannot be opened.
    """
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise OSError("it is no regular file")
    if most_bytes is not None and found.st_size > most_bytes:
        raise OSError(f"it has {found.st_size:,} bytes, more than {most_bytes:,}")
    return path.open("rb")
