"""CSV and Parquet files, or one sentence that says why they cannot be read."""

import re
from collections import Counter
from collections.abc import Generator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, cast

import polars as pl

from diffresnet._support.checks import refuse
from diffresnet._support.notices import tell
from diffresnet._support.words import some
from diffresnet.files.dialect import COMMA, UTF8, Dialect, find_uneven_line, recognize_dialect
from diffresnet.files.formulas import without_guards
from diffresnet.files.opening import is_folder, opened, size_of, without_panics
from diffresnet.files.parquet import (
    PARQUET,
    ParquetFile,
    columns_named,
    parquet_files,
    read_blocks,
)
from diffresnet.learning.labels import MISSING_TEXTS

TABLES = (".csv", PARQUET)
UTF8_MARKED = "utf-8-sig"
"""UTF-8, perhaps with a byte-order mark."""
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
MOST_LETTERS = 2000
"""Of an id or a label: memory and pages have room for many of them."""


def check_file(path: Path, what: str, suffixes: Sequence[str]) -> str:
    """Return the suffix of a file that can be read."""
    suffix = path.suffix.lower()
    if suffix not in suffixes:
        must = f"a file that ends in {', '.join(suffixes[:-1])} or {suffixes[-1]}"
        refuse(what, must, path, "Convert it to one of these.")
    try:
        with opened(path, what, remedy="Check its name and its rights.") as stream:
            is_empty = size_of(stream) == 0
    except FileNotFoundError:
        refuse(what, "a file that exists", path, "Check its name.")
    if is_empty:
        refuse(what, "a file with content", f"{path}, which is empty", "Write it again.")
    return suffix


@dataclass(frozen=True)
class TableFile:
    """A CSV or Parquet file, or a folder of Parquet files.

    Attributes:
        path: of the file or folder.
        what: the argument or option that named it, for messages.
    """

    path: Path
    what: str

    @cached_property
    def files(self) -> list[ParquetFile]:
        """The Parquet files, which have the same columns; none if it is a CSV file."""
        if not is_folder(self.path) and self.path.suffix.lower() != PARQUET:
            return []
        return parquet_files(self.path, self.what)

    @cached_property
    def columns(self) -> list[str]:
        """The names of the columns."""
        if self.files:
            return list(self.files[0].kinds)
        first = {"n_rows": 1, "has_header": False, "truncate_ragged_lines": True}
        header = self._read_csv(**first, infer_schema=False).row(0)
        repeated = [name for name, n in Counter(header).items() if name and n > 1]
        if repeated and not all(map(is_number, header)):  # of numbers alone: there are no names
            got = f"{self.path} with {some(repeated)} more than once"
            refuse(self.what, "a table whose columns have different names", got, "Rename them.")
        return self._read_csv(n_rows=0, infer_schema=False).columns

    def read(self, texts: Sequence[str], numbers: Sequence[str] = ()) -> pl.DataFrame:
        """Return some columns of a table with rows, as `blocks` does."""
        blocks = [block for _, block in self.blocks(texts, numbers)]
        return pl.concat(blocks, how="vertical_relaxed")

    def blocks(
        self, texts: Sequence[str], numbers: Sequence[str] = ()
    ) -> Generator[tuple[Path, pl.DataFrame]]:
        """Yield some columns of a table with rows, block by block, and the file they are of.

        In CSV, which is one block, `texts` are taken as they are written, and `numbers` become
        floats, with NaN or null where they are missing; a column of `numbers` that has something
        else stays text.
        """
        names = list(dict.fromkeys([*texts, *numbers]))
        n_read = 0
        if self.files:
            for file, block in read_blocks(self.files, names):
                n_read += len(block)
                yield file.path, block
        else:
            frame = without_guards(self._read_cells(names, set(numbers) - set(texts)), set(texts))
            n_read = len(frame)
            if n_read:
                yield self.path, frame
        if not n_read:
            refuse(self.what, "a table with rows", f"{self.path} with none", "Write it again.")

    def choose(self, asked: str | None, defaults: Sequence[str], option: str) -> str | None:
        """Return the column that is asked for, or the first of the defaults that is there."""
        if asked is None:
            return next((name for name in defaults if name in self.columns), None)
        if asked not in self.columns:
            must = f"one of the columns of {self.path.name} ({some(self.columns, 10)})"
            refuse(option, must, f"'{asked}'", "Choose one of them.")
        return asked

    @cached_property
    def dialect(self) -> Dialect:
        """How a CSV file is written."""
        return recognize_dialect(self.path, self.what)

    @contextmanager
    def _opened(self) -> Generator[BinaryIO]:
        kind = f"a {self.path.suffix.lower()} table"
        with opened(self.path, self.what, kind) as stream, without_panics():
            yield stream

    def _read_csv(self, **options: Any) -> pl.DataFrame:
        dialect = self.dialect
        with self._opened() as stream:
            source: Any = stream  # a path would be taken for a pattern, and must be Unicode
            if dialect.encoding != UTF8:
                source = stream.read().decode(dialect.encoding, errors="replace").encode()
            return pl.read_csv(source, separator=dialect.separator, **options)

    def _read_cells(self, names: list[str], numbers: Set[str]) -> pl.DataFrame:
        kinds = {name: pl.Float64 if name in numbers else pl.String for name in self.columns}
        try:
            return self._read_csv(schema=kinds).select(columns_named(names))
        except ValueError:  # a number that is none: read it as text, to say which
            frame = self._read_texts().select(columns_named(names))
            return self._convert(frame, [name for name in names if name in numbers])

    def _read_texts(self) -> pl.DataFrame:
        try:
            return self._read_csv(infer_schema=False)
        except ValueError:
            self._refuse_long_lines()
            raise

    def _refuse_long_lines(self) -> None:
        """Refuse a table with a line of more fields than the first, and name that line."""
        encoding = UTF8_MARKED if self.dialect.encoding == UTF8 else self.dialect.encoding
        with self._opened() as stream:
            lines = TextIOWrapper(stream, encoding, errors="replace", newline="")
            where = find_uneven_line(lines, self.dialect.separator, shorter=False)
        if where is not None:
            must, got = "a table with as many fields in every line", f"{self.path} with {where}"
            remedy = "Mend this line; a text with separators in it stands between quotes."
            refuse(self.what, must, got, remedy)

    def _convert(self, frame: pl.DataFrame, numbers: list[str]) -> pl.DataFrame:
        """Return a frame of texts whose columns `numbers` are floats, where they can be."""
        written = (
            columns_named(numbers).as_expr().str.strip_chars().replace(list(MISSING_TEXTS), None)
        )
        frame = frame.with_columns(written)
        good, bad = _cast(frame, numbers)
        has_points = any(frame[name].str.contains(".", literal=True).any() for name in good.columns)
        # A comma may be in a number; beside decimal points it is not the decimal one.
        if bad and self.dialect.separator != COMMA and not has_points:
            with_points = frame.select(
                columns_named(bad).as_expr().str.replace(",", ".", literal=True)
            )
            others, bad = _cast(with_points, bad)
            if others.width:
                tell(f"{self.path.name} has decimal commas, and is read so.")
            good = good.with_columns(others)
        truths = _truths(frame, bad)
        if truths.width:
            columns = some(truths.columns)
            tell(f"{self.path.name} has true and false in {columns}, and is read as 1 and 0.")
            good = good.with_columns(truths)
        return frame.with_columns(good)


def _cast(frame: pl.DataFrame, names: list[str]) -> tuple[pl.DataFrame, list[str]]:
    """Return those columns of texts that are numbers, as floats, and the names of the others."""
    cast = frame.select(columns_named(names).cast(pl.Float64, strict=False))
    lost = zip(
        names,
        cast.null_count().row(0),
        frame.select(columns_named(names)).null_count().row(0),
        strict=True,
    )
    bad = [name for name, n_after, n_before in lost if n_after > n_before]
    return cast.drop(columns_named(bad)), bad


def _truths(frame: pl.DataFrame, names: list[str]) -> pl.DataFrame:
    """Return those columns of texts that say true or false, as 1 and 0."""
    lower = frame.select(columns_named(names).as_expr().str.to_lowercase())
    fits = [name for name in names if set(lower[name].unique()) <= {"true", "false", None}]
    return lower.select((columns_named(fits).as_expr() == "true").cast(pl.Float64))


def as_texts(frame: pl.DataFrame, column: str | None) -> list[str]:
    """Return a column as texts; row numbers if there is none."""
    if column is None:
        return list(map(str, range(len(frame))))
    values = frame[column]
    if values.dtype == pl.String or values.dtype.is_integer():
        return values.cast(pl.String).fill_null("").to_list()
    return [as_text(value) for value in values.to_list()]


def check_names(names: Sequence[str], what: str, things: str) -> None:
    """Refuse names that are longer than anyone reads; `things` says what they name."""
    longest = max(names, key=len, default="")
    if len(longest) > MOST_LETTERS:
        got = f"{some([longest])} of {len(longest):,}"
        refuse(
            what, f"a file with {things} of up to {MOST_LETTERS:,} letters", got, "Shorten them."
        )


def places_of(
    names: Sequence[str],
    ids: Sequence[str],
    what: str,
    points: str,
    *,
    things: str,
    parts: str,
    otherwise: str | None = None,
) -> list[int]:
    """Return the place of each name among the ids; the words are for the message if one is not."""
    places = {name: place for place, name in enumerate(ids)}
    found = list(map(places.get, names))
    if None in found:
        unknown = list(dict.fromkeys(name for name in names if name not in places))
        got = f"{len(unknown)} that {points} does not have: {some(unknown)}"
        otherwise = otherwise or f"name the ids of {points} by --id-column"
        remedy = f"Remove their {parts}, or {otherwise}."
        refuse(what, f"{things} of ids in {points}", got, remedy)
    return cast("list[int]", found)


def is_number(text: str | None) -> bool:
    """Tell whether a text is how a number is written."""
    return text is not None and NUMBER.fullmatch(text.strip()) is not None


def as_text(value: Any) -> str:
    """Return an id or a label as text; "" if it is missing.

    Examples:
        >>> [as_text(value) for value in ("007", 7, 7.0, None, float("nan"))]
        ['007', '7', '7', '', '']
    """
    if value is None or value != value:  # noqa: PLR0124  (NaN is not itself)
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
