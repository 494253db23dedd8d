"""Files, and folders of them, that are written whole or not at all."""

import errno
import json
import math
import os
import shutil
import socket
import stat
import tempfile
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None


PREFIX, PART = ".diffresnet-", ".part"
"""How the name of a file or folder begins and ends that is not whole yet."""


def write_whole(path: Path, content: bytes) -> Path:
    """Write `content` to `path`, making its folder; an interruption leaves the old file or none.

    What processes of this machine that were killed have left in the folder is removed. A link stays
    one: the file that it names is written.

    Raises `OSError`, which names `path`, if it cannot be written, or is no regular file.
    """
    with writing_whole(path) as stream:
        stream.write(content)
    return path


@contextmanager
def writing_whole(path: Path) -> Generator[IO[bytes]]:
    """Open a new file that takes the place of `path` at the end of the block, whole or not at all.

    As `write_whole`, for contents that are made piece by piece.
    """
    part: Path | None = None
    try:
        place = path.resolve()
        _check_regular(place)
        place.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(place.parent)
        stream, part = _new_part(place.parent)
        with stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            part.chmod(0o666 & ~_umask())
            if fcntl is not None:  # still locked: nobody takes it for a leftover
                part.replace(place)
        if fcntl is None:  # Windows moves closed files only
            part.replace(place)
    except OSError as error:  # it may name the part, which nobody has asked for
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        if part is not None:
            part.unlink(missing_ok=True)


def _check_regular(place: Path) -> None:
    """Raise if there is something that is no file, such as a device: it would be gone."""
    if place.is_dir():
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    if place.exists() and not place.is_file():
        raise OSError(errno.EEXIST, "No regular file")


def write_whole_folder(path: Path, files: Iterable[tuple[str, bytes]]) -> Path:
    """Write a folder of files with these names and contents, which are asked for one by one.

    A folder that is there already is replaced, with all that is in it. An interruption leaves the
    old one; a kill between two renames leaves it aside, and the next folder that this machine
    writes beside it brings it back.
    """
    place = path.resolve()
    place.parent.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(place.parent)
    lock, part = _new_part_folder(place.parent)
    try:
        for name, content in files:
            with (part / name).open("xb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
        part.chmod(0o777 & ~_umask())
        _put_folder(part, place)
    finally:
        shutil.rmtree(part, ignore_errors=True)
        if lock is not None:
            os.close(lock)
    return path


@contextmanager
def scratch_folder() -> Generator[Path]:
    """Make a folder for files that are needed only in the block.

    The one of a process that was killed is removed by the next.
    """
    parent = Path(tempfile.gettempdir())
    _remove_leftovers(parent)
    lock, folder = _new_part_folder(parent)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def _put_folder(part: Path, place: Path) -> None:
    """Move a folder to its place; one that is there already is removed once the new one is."""
    if not place.is_dir():
        part.rename(place)
        return
    lock, old = _new_part_folder(place.parent)
    try:
        place.rename(old / place.name)
        part.rename(place)
    finally:
        _bring_back(old)
        shutil.rmtree(old, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def _bring_back(old: Path) -> None:
    """Move folders that were put aside back to where they were, if nothing has come there."""
    for folder in [one for one in old.iterdir() if one.is_dir()]:
        if not (old.parent / folder.name).exists():
            folder.rename(old.parent / folder.name)


def _new_part_folder(folder: Path) -> tuple[int | None, Path]:
    """Return a new folder, and what locks it as long as it is open."""
    while True:
        part = Path(tempfile.mkdtemp(dir=folder, prefix=own_prefix(), suffix=PART))
        if fcntl is None:
            return None, part
        with suppress(FileNotFoundError):  # another process was faster than the lock
            descriptor = os.open(part, os.O_RDONLY)
            with suppress(OSError):  # a disk without locks has no leftovers removed either
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.fstat(descriptor).st_nlink:
                return descriptor, part
            os.close(descriptor)


def _new_part(folder: Path) -> tuple[IO[bytes], Path]:
    """Return a new file, locked as long as it is open."""
    while True:
        descriptor, name = tempfile.mkstemp(dir=folder, prefix=own_prefix(), suffix=PART)
        stream = os.fdopen(descriptor, "wb")
        if fcntl is not None:
            with suppress(OSError):  # a disk without locks has no leftovers removed either
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return stream, Path(name)
        stream.close()  # another process was faster than the lock, and removed it


def own_prefix() -> str:
    """Return how the names of parts of this machine begin: any name of it is as long, and safe."""
    host = sha256(socket.gethostname().encode("utf-8", "surrogateescape")).hexdigest()
    return f"{PREFIX}{host[:12]}-"


def _remove_leftovers(folder: Path) -> None:
    """Remove parts that nobody writes any longer: their locks ended with their processes.

    Those of other machines stay: in a shared folder their locks may not be seen here.
    """
    if fcntl is None:
        return
    for part in folder.glob(f"{own_prefix()}*{PART}"):
        with suppress(OSError):
            descriptor = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                about = os.fstat(descriptor)
                if about.st_uid != os.geteuid():
                    continue  # in a folder that is open to all
                if stat.S_ISDIR(about.st_mode):
                    _bring_back(part)
                    shutil.rmtree(part)
                else:
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
