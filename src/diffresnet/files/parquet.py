"""Parquet files: one, or all those of a folder, read block by block."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl
from polars import selectors

from diffresnet._support.checks import refuse
from diffresnet._support.words import some
from diffresnet.files.opening import (
    check_unpacked,
    is_folder,
    list_files,
    most_unpacked,
    opened,
    size_of,
    without_panics,
)
from diffresnet.files.trial import first_deadly

PARQUET = ".parquet"
BLOCK, MOST_BLOCKS = 2**27, 8
"""Bytes of a file that are read at a time, in at most this number of blocks: each unpacks whole row
groups, and there may be one only."""


@dataclass(frozen=True)
class ParquetFile:
    """A Parquet file, of which memory is taken when it is looked at.

    Attributes:
        path: of the file.
        what: the argument or option that named it, for messages.
    """

    path: Path
    what: str

    @cached_property
    def kinds(self) -> dict[str, pl.DataType]:
        """The types of the columns by name."""
        with self.opened() as stream:
            return dict(pl.read_parquet_schema(stream))

    @cached_property
    def n_rows(self) -> int:
        """How many rows it says that it has."""
        with self.opened() as stream:
            return pl.scan_parquet(stream).select(pl.len()).collect().item()

    @cached_property
    def size(self) -> int:
        """Bytes of the file."""
        with self.opened() as stream:
            return size_of(stream)

    @contextmanager
    def opened(self) -> Generator[BinaryIO]:
        """Open it; what is wrong with it in the block is refused by its name."""
        with opened(self.path, self.what, f"a {PARQUET} table") as stream, without_panics():
            yield stream

    def check_room(self, n_bytes_a_row: int) -> None:
        """Refuse it if rows of this size are more than a file of its size may unpack to."""
        with self.opened():
            check_unpacked(n_bytes_a_row * self.n_rows, self.size)

    @property
    def n_rows_at_once(self) -> int:
        """Rows of a block."""
        n_blocks = min(-(-self.size // BLOCK), MOST_BLOCKS)
        return max(-(-self.n_rows // n_blocks), 1)

    def blocks(self, names: Sequence[str]) -> Generator[pl.DataFrame]:
        """Yield some columns, block by block."""
        for begin in range(0, self.n_rows, self.n_rows_at_once):
            n_rows = min(self.n_rows_at_once, self.n_rows - begin)
            with self.opened() as stream:
                frame = pl.scan_parquet(stream).slice(begin, n_rows).select(columns_named(names))
                block = frame.collect()
                if len(block) != n_rows:
                    raise ValueError(f"{n_rows} rows are promised, and {len(block)} are there")
            yield block


def columns_named(names: Sequence[str]) -> Any:
    """Return an expression of the columns with these names: polars takes "*" for all columns."""
    return selectors.by_name(*names)


def parquet_files(path: Path, what: str) -> list[ParquetFile]:
    """Return a Parquet file, or those of a folder in order of name, which have the same columns.

    Args:
        path: of the file or folder.
        what: the argument or option that named it, for messages.
    """
    if not is_folder(path):
        return [ParquetFile(path, what)]
    files = [ParquetFile(one, what) for one in list_files(path, what, PARQUET)]
    for file in files[1:]:
        difference = _difference(files[0], file)
        if difference is not None:
            remedy = "Write them again, or move one of them to another folder."
            refuse(what, "a folder of tables with the same columns", difference, remedy)
    return files


def is_list(kind: pl.DataType) -> bool:
    """Tell whether a column of this type has several numbers, or other things, in a row."""
    return isinstance(kind, pl.List | pl.Array)


def _difference(first: ParquetFile, second: ParquetFile) -> str | None:
    """Say which column two files do not share, or None."""
    for one, other in ((first, second), (second, first)):
        missing = [name for name in one.kinds if name not in other.kinds]
        if missing:
            return f"{some(missing)} in {one.path.name}, but not in {other.path.name}"
    for name, kind in first.kinds.items():
        if not _are_alike(kind, second.kinds[name]):
            names = f"{first.path.name} and {second.kinds[name]} in {second.path.name}"
            return f"{some([name])} with {kind} in {names}"
    return None


def _are_alike(kind: pl.DataType, other: pl.DataType) -> bool:
    """Tell whether columns are of one type, both numbers, both lists, or one without anything."""
    both = (kind, other)
    is_same = kind == other or any(one == pl.Null for one in both)
    return is_same or all(one.is_numeric() for one in both) or all(is_list(one) for one in both)


def read_blocks(
    files: Sequence[ParquetFile], names: Sequence[str]
) -> Generator[tuple[ParquetFile, pl.DataFrame]]:
    """Yield some columns of files, block by block; nothing is read of any before all are tried."""
    for file in files:
        file.check_room(8 * len(names))
    most_bytes = max(most_unpacked(file.size) for file in files)
    blocks = [(file.path, file.n_rows, file.n_rows_at_once) for file in files]
    deadly = first_deadly(blocks, names, most_bytes)
    if deadly is not None:
        with files[deadly].opened():
            raise ValueError("it is damaged, or needs more memory than a file of its size may")
    for file in files:
        for block in file.blocks(names):
            yield file, block
