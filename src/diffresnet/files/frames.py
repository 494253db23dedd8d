"""CSV and Parquet files, or one sentence that says why they cannot be read."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import polars as pl

from diffresnet._support.checks import refuse
from diffresnet._support.words import reason_of, some
from diffresnet.files.opening import opened, size_of

TABLES = (".csv", ".parquet")


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
    """A CSV or Parquet file.

    Attributes:
        path: of the file.
        what: the argument or option that named it, for messages.
    """

    path: Path
    what: str

    @cached_property
    def columns(self) -> list[str]:
        """The names of the columns."""
        try:
            if self.path.suffix.lower() == ".parquet":
                with self.path.open("rb") as stream:  # a path would be taken for a pattern
                    return list(pl.read_parquet_schema(stream))
            return pl.read_csv(self.path, n_rows=0, infer_schema=False, glob=False).columns
        except (pl.exceptions.PolarsError, OSError) as error:
            self._refuse(error)

    def read(self, texts: Collection[str]) -> pl.DataFrame:
        """Return a table with rows; in CSV, the columns `texts` are taken as they are written."""
        try:
            if self.path.suffix.lower() == ".parquet":
                frame = pl.read_parquet(self.path, glob=False)
            else:
                numbers = [name for name in self.columns if name not in texts]
                frame = pl.read_csv(
                    self.path,
                    schema_overrides=dict.fromkeys(texts, pl.String),
                    null_values=dict.fromkeys(numbers, "nan"),  # as NumPy writes it
                    infer_schema_length=None,
                    glob=False,
                )
        except (pl.exceptions.PolarsError, OSError) as error:
            self._refuse(error)
        if not len(frame):
            refuse(self.what, "a table with rows", f"{self.path} with none", "Write it again.")
        return frame

    def choose(self, asked: str | None, defaults: Sequence[str], option: str) -> str | None:
        """Return the column that is asked for, or the first of the defaults that is there."""
        if asked is None:
            return next((name for name in defaults if name in self.columns), None)
        if asked not in self.columns:
            must = f"one of the columns of {self.path.name} ({some(self.columns, 10)})"
            refuse(option, must, f"'{asked}'", "Choose one of them.")
        return asked

    def _refuse(self, error: Exception) -> NoReturn:
        got = f"{self.path} ({reason_of(error)})"
        refuse(self.what, f"a {self.path.suffix.lower()} table", got, "Write it again.")


def as_texts(frame: pl.DataFrame, column: str | None) -> list[str]:
    """Return a column as texts; row numbers if there is none."""
    values = range(len(frame)) if column is None else frame[column].to_list()
    return [as_text(value) for value in values]


def places_of(
    names: Sequence[str], ids: Sequence[str], what: str, points: str, *, things: str, parts: str
) -> list[int]:
    """Return the place of each name among the ids; the words are for the message if one is not."""
    places = {name: place for place, name in enumerate(ids)}
    unknown = list(dict.fromkeys(name for name in names if name not in places))
    if unknown:
        got = f"{len(unknown)} that {points} does not have: {some(unknown)}"
        remedy = f"Remove their {parts}, or name the ids of {points} by --id-column."
        refuse(what, f"{things} of ids in {points}", got, remedy)
    return [places[name] for name in names]


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
