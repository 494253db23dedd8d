"""Files are opened here, and here alone is said what "unreadable" means.

Whatever reads a file does so inside of `opened`: a file that is missing, no regular file, damaged,
or larger than it pretends ends with one sentence, before memory is taken.
"""

import os
import pickle
import struct
import tokenize
import zlib
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipInfo

import polars as pl

from diffresnet._support.checks import refuse
from diffresnet._support.reading import open_regular
from diffresnet._support.words import LONGEST_QUOTE, count, reason_of, shortened, some

UNREADABLE = (
    *(ValueError, TypeError, KeyError, AttributeError, IndexError, SyntaxError, AssertionError),
    *(OSError, EOFError, ArithmeticError, NotImplementedError, RuntimeError, MemoryError),
    *(BadZipFile, zlib.error, struct.error, tokenize.TokenError, pickle.UnpicklingError),
    *(pl.exceptions.PolarsError, pl.exceptions.PanicException),
)
"""What NumPy, polars, torch and zipfile raise on files that are damaged, or of another kind."""

ZIP_BEGINNINGS = (b"PK\x03\x04", b"PK\x05\x06")
LEAST_LIMIT = 2**28
"""Bytes that any compressed file may unpack to."""
MOST_TIMES = 100
"""A larger one may unpack to this many times its own size."""
STDERR = 2
ENCRYPTED = 1
"""The bit of a member that needs a password."""


@contextmanager
def opened(
    path: Path, what: str, must: str = "a file that can be read", remedy: str = "Write it again."
) -> Generator[BinaryIO]:
    """Open a regular file; what is `UNREADABLE` in the block is refused in one sentence.

    Args:
        path: of the file.
        what: the argument or option that named it, for messages.
        must: what kind of file it must be.
        remedy: what to do about a damaged one.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if it is something else, or cannot be read.

    Examples:
        >>> with opened(Path(__file__), "FILE") as stream:
        ...     content = stream.read(3)
        >>> content
        b'\"\"\"'
    """
    try:
        with open_regular(path) as stream:
            yield stream
    except FileNotFoundError:
        name = shortened(str(path), LONGEST_QUOTE)
        raise FileNotFoundError(f"There is no file {name}.") from None
    except UNREADABLE as error:
        refuse(what, must, f"{path} ({_explain(error)})", remedy)


def is_folder(path: Path) -> bool:
    """Tell whether there is a folder of this name; what cannot be looked at is none."""
    try:
        return path.is_dir()
    except OSError:
        return False


def list_files(folder: Path, what: str, suffix: str) -> list[Path]:
    """Return the files of a folder that end in `suffix`, in order of name, or refuse it.

    Names that begin with a dot do not count. Folders in it, and links in place of files, are
    refused: what they hold would be left out, or come from elsewhere.

    Args:
        folder: to look at.
        what: the argument or option that named it, for messages.
        suffix: of the files.
    """
    try:
        found = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        got = f"{folder} ({error.strerror})"
        refuse(what, "a folder that can be read", got, "Check its rights.")
    folders = [path.name for path in found if is_folder(path)]
    if folders:
        got, remedy = f"{folder} with {some(folders)}", "Move its files up, or name one of them."
        refuse(what, "a folder without folders in it", got, remedy)
    files = [path for path in found if path.suffix.lower() == suffix]
    links = [path.name for path in files if path.is_symlink()]
    if links:
        got = f"{folder} with {count(len(links), 'link')}: {some(links)}"
        refuse(what, "a folder of regular files", got, "Put the files themselves there.")
    if not files:
        others = [path.name for path in found]
        got = f"{folder} with {some(others)}" if others else f"{folder}, empty"
        remedy = "Name one of its files, or write them as Parquet."
        refuse(what, f"a folder of {suffix} files", got, remedy)
    return files


@contextmanager
def without_panics() -> Generator[None]:
    """Keep from the terminal what polars prints when it panics: the error itself says enough."""
    try:
        terminal = os.dup(STDERR)
    except OSError:  # there is none
        yield
        return
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), STDERR)
        try:
            yield
        finally:
            os.dup2(terminal, STDERR)
            os.close(terminal)


def size_of(stream: BinaryIO) -> int:
    """Return the size of an open file in bytes."""
    return os.fstat(stream.fileno()).st_size


def is_zip(stream: BinaryIO) -> bool:
    """Tell whether an open file begins like a zip archive; it is at its beginning again."""
    stream.seek(0)
    beginning = stream.read(4)
    stream.seek(0)
    return beginning in ZIP_BEGINNINGS


def check_members(members: Sequence[ZipInfo], size: int) -> None:
    """Raise if members of an archive of `size` bytes are encrypted, or unpack to too much."""
    for member in members:
        if member.flag_bits & ENCRYPTED:
            raise BadZipFile(f"'{member.filename}' is encrypted")
        if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise BadZipFile(f"'{member.filename}' is compressed in an unusual way")
    check_unpacked(sum(member.file_size for member in members), size)


def most_unpacked(size: int) -> int:
    """Return how many bytes of memory a file of `size` bytes may take."""
    return max(LEAST_LIMIT, MOST_TIMES * size)


def check_unpacked(n_bytes: int, size: int) -> None:
    """Raise if a file of `size` bytes would take more memory than `MOST_TIMES` allows."""
    limit = most_unpacked(size)
    if n_bytes > limit:
        raise ValueError(
            f"it would unpack to {n_bytes:,} bytes, more than {limit:,}: write it uncompressed"
        )


def _explain(error: BaseException) -> str:
    """Return why a file cannot be read, without unsafe advice."""
    reason = reason_of(error)
    if isinstance(error, MemoryError):
        return "it needs more memory than there is"
    if "pickle" in reason.lower() or "weights_only" in reason:
        return "it has objects of Python, or no array at all"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return reason or type(error).__name__
