"""Features of a table: its columns of numbers and of lists, in one array."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from diffresnet._support.checks import refuse
from diffresnet._support.stages import stage
from diffresnet._support.words import count, some
from diffresnet.files.arrays import Array
from diffresnet.files.frames import TableFile, as_texts
from diffresnet.files.parquet import columns_named, is_list

DECIMAL_COMMA = r"^[+-]?\d+,\d+$"
IS_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?(nan|inf)", re.IGNORECASE)
SINGLE = (pl.Float32, pl.Float16, pl.Int8, pl.UInt8, pl.Int16, pl.UInt16)
"""Numbers that single precision holds exactly."""


@dataclass(frozen=True)
class Rows:
    """What a table has for each point.

    Attributes:
        ids: as texts; row numbers if there is no column of ids.
        labels: as they are; None if there is no column of labels.
        features: (N, d), columns of numbers first, then those of lists; None if there are none.
        numbers: the names of the columns of numbers.
    """

    ids: list[str]
    labels: list[Any] | None
    features: Array | None
    numbers: list[str]


def read_rows(table: TableFile, id_column: str | None, label_column: str | None) -> Rows:
    """Read all of a table, Parquet files block by block into one array.

    CSV gives features of double precision. Parquet files do where a column of numbers needs it;
    else, and for embeddings (lists of floats), single precision does.

    Args:
        table: to read.
        id_column: if there is one.
        label_column: if there is one.
    """
    named = [name for name in (id_column, label_column) if name is not None]
    others = [name for name in table.columns if name not in named]
    features = _Features(table, others)
    ids: list[str] = []
    labels: list[Any] = []
    n_blocks = sum(-(-file.n_rows // file.n_rows_at_once) for file in table.files)
    with stage("rows", total=n_blocks) as advance:
        for path, frame in table.blocks(named, others):
            ids += [] if id_column is None else as_texts(frame, id_column)
            labels += [] if label_column is None else frame[label_column].to_list()
            features.add(path, frame)
            advance()
    return Rows(
        list(map(str, range(features.n_rows))) if id_column is None else ids,
        None if label_column is None else labels,
        features.array,
        features.numbers,
    )


@dataclass
class _Features:
    """An array that is filled block by block.

    Attributes:
        table: that they are of.
        names: of the columns.
        array: (N, d), None before the first block.
        numbers: the names of the columns of numbers.
        n_rows: that are filled.
    """

    table: TableFile
    names: Sequence[str]
    array: Array | None = None
    numbers: list[str] = field(default_factory=list)
    n_rows: int = 0

    def add(self, path: Path, frame: pl.DataFrame) -> None:
        """Add a block of rows, of the file `path`."""
        parts = self._parts(path, frame) if self.names else []
        if self.array is None and not self.table.files:  # CSV is one block
            self.array = parts[0] if parts else None
        elif parts:
            self._fill(path, parts)
        self.n_rows += len(frame)

    def _parts(self, path: Path, frame: pl.DataFrame) -> list[Array]:
        kinds = frame.schema  # asked for once: it is made anew each time
        lists = {name for name in self.names if is_list(kinds[name])}
        numbers = self.numbers = [name for name in self.names if name not in lists]
        _check_numbers(frame, numbers, path, self.table.what)
        parts = [
            _stack(frame[name], path, self.table.what, self._kind)
            for name in self.names
            if name in lists
        ]
        if numbers:
            parts.insert(0, frame.select(columns_named(numbers).cast(self._kind)).to_numpy())
        return parts

    def _fill(self, path: Path, parts: Sequence[Array]) -> None:
        width = sum(part.shape[1] for part in parts)
        if self.array is None:
            for file in self.table.files:
                file.check_room(parts[0].itemsize * width)
            n_rows = sum(file.n_rows for file in self.table.files)
            self.array = np.empty((n_rows, width), parts[0].dtype)
        if width != self.array.shape[1]:
            got = f"{width} numbers in {path.name}, and {self.array.shape[1]} before"
            remedy = "Write as many numbers in every row, or leave it out."
            refuse(self.table.what, "lists of as many numbers in every row", got, remedy)
        begin = 0
        for part in parts:
            end = begin + part.shape[1]
            self.array[self.n_rows : self.n_rows + len(part), begin:end] = part
            begin = end

    @cached_property
    def _kind(self) -> type[pl.DataType]:
        """Single or double precision."""
        kinds = {file.kinds[name] for file in self.table.files for name in self.names}
        is_single = bool(kinds) and all(map(_is_single, kinds))
        return pl.Float32 if is_single else pl.Float64


def _is_single(kind: pl.DataType) -> bool:
    """Tell whether single precision does for numbers: it is exact, or they are embeddings."""
    inner: Any = getattr(kind, "inner", kind)
    return inner in SINGLE or (is_list(kind) and inner == pl.Float64)


def _check_numbers(frame: pl.DataFrame, names: Sequence[str], path: Path, what: str) -> None:
    """Refuse a column that has something else than numbers."""
    kinds = frame.schema
    name = next((one for one in names if not kinds[one].is_numeric()), None)
    if name is None:
        return
    must, column = "numbers in every column", f"the column {some([name])} of {path.name}"
    if kinds[name] != pl.String:
        remedy = "Leave it out, or name it by --id-column or --label-column."
        kind = "no value at all" if kinds[name] == pl.Null else str(kinds[name])
        refuse(what, must, f"{column} with {kind}", remedy)
    with_commas = frame[name].drop_nulls().str.contains(DECIMAL_COMMA)
    if with_commas.all():
        refuse(what, must, f"{column} with decimal commas", "Write points, as in 1.5.")
    texts = frame[name].drop_nulls()
    first = next((text for text in texts if not IS_NUMBER.fullmatch(text)), texts[0])
    remedy = (
        "Leave it out, name it by --id-column or --label-column, or turn texts into features by "
        "`diffresnet embed` with --text-column."
    )
    refuse(what, must, f"{column} with texts, such as {some([first])}", remedy)


def _stack(column: pl.Series, path: Path, what: str, kind: type[pl.DataType]) -> Array:
    """Return a column of lists as an array with a row for each."""
    lists = column.arr.to_list() if isinstance(column.dtype, pl.Array) else column
    lengths = lists.list.len().unique().to_list()
    inner = getattr(lists.dtype, "inner", None)
    if inner is None or not inner.is_numeric() or len(lengths) != 1 or not lengths[0]:
        got = f"the column {some([column.name])} of {path.name} with {column.dtype}, of "
        got += count(len(lengths), "length")
        remedy = "Write as many numbers in every row, or leave it out."
        refuse(what, "lists of as many numbers in every row", got, remedy)
    return lists.explode().cast(kind).to_numpy().reshape(len(lists), lengths[0])
