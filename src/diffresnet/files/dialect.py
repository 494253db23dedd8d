"""How a CSV file is written: its separator and its encoding, recognized and said."""

import codecs
import csv
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from diffresnet._support.notices import tell
from diffresnet._support.words import count
from diffresnet.files.opening import opened

COMMA = ","
OTHERS = {";": "semicolons", "\t": "tabs", "|": "bars"}
"""Separators other than the comma, and what they are called."""

UTF8 = "utf-8"
OTHER_ENCODINGS = {"cp1252": "Latin-1 (Windows-1252)", "utf-16": "UTF-16"}
WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""How a file in UTF-16 begins."""

OTHER_KINDS = {
    b"\x1f\x8b": "a gzip file: unpack it",
    b"\x28\xb5\x2f\xfd": "a zstd file: unpack it",
    b"PK\x03\x04": "a zip archive, or a workbook of Excel: save it as CSV",
    b"PAR1": "a Parquet file: let its name end in .parquet",
    b"\xd0\xcf\x11\xe0": "a workbook of Excel: save it as CSV",
}
"""Files of other kinds, by how they begin."""

N_SAMPLED, N_ROWS = 2**16, 50
"""Bytes and rows that the separator is recognized by."""
BLOCK = 2**20


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is written.

    Attributes:
        separator: between cells.
        encoding: of the text.
    """

    separator: str = COMMA
    encoding: str = UTF8

    @property
    def remarks(self) -> list[str]:
        """What is unusual about it, in words."""
        found: list[str] = []
        if self.separator != COMMA:
            found.append(f"{OTHERS[self.separator]} between its columns")
        if self.encoding != UTF8:
            found.append(f"text in {OTHER_ENCODINGS[self.encoding]}")
        return found


def recognize_dialect(path: Path, what: str) -> Dialect:
    """Return how a CSV file is written, and say what is unusual; other kinds of files are refused.

    Args:
        path: of the file.
        what: the argument or option that named it, for messages.
    """
    with opened(path, what, "a .csv table") as stream:
        sample = stream.read(N_SAMPLED)
        for beginning, kind in OTHER_KINDS.items():
            if sample.startswith(beginning):
                raise ValueError(f"it is {kind}")
        encoding = _find_encoding(stream)
        text = sample.decode(encoding, errors="replace").removeprefix("\ufeff")
        if "\r" in text.rstrip("\r\n") and "\n" not in text:
            raise ValueError("its lines end with a carriage return alone; save it with usual ones")
        separator = _find_separator(text, is_whole=len(sample) < N_SAMPLED)
    dialect = Dialect(separator, encoding)
    if dialect.remarks:
        tell(f"{path.name} has {' and '.join(dialect.remarks)}, and is read so.")
    return dialect


def find_uneven_line(lines: Iterable[str], separator: str, *, shorter: bool) -> str | None:
    r"""Say which line is the first with more fields than the first one; None if there is none.

    Args:
        lines: of the table; what stands between quotes may go on in the next.
        separator: between fields.
        shorter: takes a line with fewer fields, too.

    Examples:
        >>> lines = ["a,b\n", '"two\n', 'lines",x\n', "c,d,e\n"]
        >>> find_uneven_line(lines, ",", shorter=False)
        '3 fields in line 4, and 2 in line 1'
    """
    reader, n_fields, first, end = csv.reader(lines, delimiter=separator), 0, 0, 0
    try:
        for row in reader:
            line, end = end + 1, reader.line_num
            if row and not n_fields:
                n_fields, first = len(row), line
            elif len(row) > n_fields or (shorter and 0 < len(row) < n_fields):
                return f"{count(len(row), 'field')} in line {line}, and {n_fields} in line {first}"
    except csv.Error:  # a cell that is too long
        pass
    return None


def _find_encoding(stream: BinaryIO) -> str:
    stream.seek(0)
    if stream.read(2) in WIDE_MARKS:
        return "utf-16"
    stream.seek(0)
    decoder, has_zeros, is_utf8 = codecs.getincrementaldecoder(UTF8)(), False, True
    while block := stream.read(BLOCK):
        has_zeros = has_zeros or b"\0" in block
        try:
            decoder.decode(block)
        except UnicodeDecodeError:
            is_utf8 = False
            break
    if has_zeros:
        raise ValueError("it has bytes that are no text")
    return UTF8 if is_utf8 else "cp1252"


def _find_separator(text: str, *, is_whole: bool) -> str:
    """Return what splits the first row and all others into as many cells; else the comma.

    Raises:
        ValueError: if something else splits the first row, but not the others in the same way.
    """
    lines = text.splitlines(keepends=True)
    lines = lines if is_whole else lines[:-1]
    counts = {one: _count_cells(lines, one, is_whole=is_whole) for one in (COMMA, *OTHERS)}
    for separator, n_cells in counts.items():
        if n_cells[0] > 1 and len(set(n_cells)) == 1:
            return separator
    if counts[COMMA][0] == 1:
        for separator, name in OTHERS.items():
            if counts[separator][0] > 1:
                where = find_uneven_line(lines, separator, shorter=True)
                also = "" if where is None else f": {where}"
                raise ValueError(f"{name} between its columns, but not as many in every row{also}")
    return COMMA


def _count_cells(lines: list[str], separator: str, *, is_whole: bool) -> list[int]:
    """Return the number of cells of each of the first rows that has any, 0 for none."""
    try:
        rows = list(islice(csv.reader(lines, delimiter=separator), N_ROWS))
    except csv.Error:  # a cell that is too long
        return [0]
    if not is_whole and 1 < len(rows) < N_ROWS:
        rows.pop()  # it may be cut
    return [len(row) for row in rows if row] or [0]
