"""Files that one process uses at a time."""

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None


def open_locked(path: Path) -> IO[str]:
    """Open a file to read and append to, locked as long as it is open.

    It is not one that another process removes as it ends. On a disk without locks there is none.

    Raises `BlockingIOError` if another process has it.
    """
    while True:
        stream = path.open("a+", encoding="utf-8", newline="\n")
        try:
            _lock(stream)
        except BaseException:
            stream.close()
            raise
        if os.fstat(stream.fileno()).st_nlink:
            return stream
        stream.close()


def _lock(stream: IO[str]) -> None:
    if fcntl is None:
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if isinstance(error, BlockingIOError):
            raise


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Keep other processes out of a block by a file, which is removed at its end.

    Raises `BlockingIOError` if another process is in it.
    """
    if fcntl is None:
        yield
        return
    with open_locked(path):
        try:
            yield
        finally:
            with suppress(OSError):
                path.unlink()
