"""Numbers of the docs, checked against the files that they come from.

Above a table a comment says which number of which file each cell has::

    <!-- numbers {"cell": ["cells.json:results/[method={row};labeled={column}]/accuracy*100"],
                  "columns": {"5 % labeled": "0.05"}, "rows": {"the paper": null}} -->

`{row}` and `{column}` are what the first cell of the row and the head of the column say, or what
`rows` and `columns` translate it to; `{row1}`, `{column1}` are the second of several such texts.
Rows and columns that are translated to null are not checked. With ``"keys": 2`` the first two
cells name a row, and `words` translates single ones of these. `special` has the numbers of some
rows that have others. A cell has as many numbers as there are in `cell`.

In running text a comment is right behind a number: ``82.2 <!-- number a.json:results/0/mean*100
-->``. Parts of a path are names or places, or ``[key=value;...]`` for the one of a list that has
these, ``<key=value;key!=value>`` for the mean over all that have them, or ``:5`` for the mean of
the first five numbers; a factor may follow.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tests.docs.pages import ROOT, pages

TABLE = re.compile(r"<!-- numbers (\{.*?\}) -->\s*\n((?:\|[^\n]*\n?)+)", re.DOTALL)
INLINE = re.compile(r"([-+]?[\d,]*\.?\d+)[ *%]*<!-- number (\S+) -->")
NUMBER = re.compile(r"[-+]?\d[\d,]*\.?\d*")


@dataclass(frozen=True)
class Found:
    """A number of a page.

    Attributes:
        where: it is.
        said: as it is written.
        true: as its file has it, with as many digits.
    """

    where: str
    said: str
    true: str

    @property
    def is_right(self) -> bool:
        """Whether the page says what the file has; -0.0 is 0.0."""
        return float(self.said.replace(",", "")) == float(self.true)

    @property
    def as_written(self) -> str:
        """The number of the file, with a sign and commas where the page has them."""
        if self.is_right:
            return self.said
        sign, commas = "+" * self.said.startswith("+"), "," * ("," in self.said)
        return format(float(self.true), f"{sign}{commas}.{len(self.said.partition('.')[2])}f")


def numbers_of(text: str, folder: Path) -> list[Found]:
    """Return all numbers of a page that name their file in `folder`."""
    found: list[Found] = []
    for match in TABLE.finditer(text):
        found += _of_table(json.loads(match[1]), match[2], folder)
    for match in INLINE.finditer(text):
        found.append(_compare(match[2], match[1], match[2], folder))
    return found


def look_up(content: Any, path: str) -> float:
    """Return the number at a path, such as ``results/[set=a;labels=5]/accuracy``."""
    part, *more = re.findall(r"\[[^\]]*\]|<[^>]*>|[^/]+", path)
    rest = "/".join(more)
    if part[0] in "[<":
        fits = [one for one in content if _fits(one, part[1:-1])]
        if not fits or (part[0] == "[" and len(fits) > 1):
            raise KeyError(f"{part} fits {len(fits)} of {len(content)}")
        return sum(look_up(one, rest) for one in fits) / len(fits)
    if part[0] == ":":
        return sum(content[: int(part[1:])]) / int(part[1:])
    inner = content[int(part) if isinstance(content, list) else part]
    return look_up(inner, rest) if rest else float(inner)


def _fits(one: dict[str, Any], wanted: str) -> bool:
    for pair in wanted.split(";"):
        key, sign, value = re.split(r"(!?=)", pair, maxsplit=1)
        if (str(one.get(key)) == value) != (sign == "="):
            return False
    return True


def correct(text: str, folder: Path) -> str:
    """Return a page with the numbers that its files have, written as they were.

    ``python -m tests.docs.numbers`` does so for every page; texts around them are for a person.
    """

    def in_table(match: re.Match[str]) -> str:
        lines = [line.split("|") for line in match[2].split("\n")]
        for place in _places(json.loads(match[1]), match[2]):
            texts = NUMBER.split(lines[place.line][place.cell + 1])
            true = [_compare("", *one, folder).as_written for one in place.pairs]
            pairs = zip(texts, [*true, ""], strict=True)
            lines[place.line][place.cell + 1] = "".join(text + number for text, number in pairs)
        return match[0].removesuffix(match[2]) + "\n".join("|".join(line) for line in lines)

    def in_text(match: re.Match[str]) -> str:
        return match[0].replace(match[1], _compare("", match[1], match[2], folder).as_written, 1)

    return INLINE.sub(in_text, TABLE.sub(in_table, text))


class _Place(NamedTuple):
    """A cell that names its numbers: where it is, its title, and what it says of which paths."""

    line: int
    cell: int
    title: str
    pairs: list[tuple[str, str]]


def _of_table(spec: dict[str, Any], table: str, folder: Path) -> list[Found]:
    return [
        _compare(place.title, said, path, folder)
        for place in _places(spec, table)
        for said, path in place.pairs
    ]


def _places(spec: dict[str, Any], table: str) -> Iterator[_Place]:
    lines = [_cells_of(line) for line in table.splitlines() if line.strip()]
    n_keys = spec.get("keys", 1)
    for number, line in enumerate(lines[2:], start=2):
        title = ", ".join(line[:n_keys])
        words = [spec.get("words", {}).get(word, word) for word in line[:n_keys]]
        row = _texts(spec.get("rows", {}).get(title, words))
        for cell in range(n_keys, len(line)):
            head = lines[0][cell]
            column = _texts(spec.get("columns", {}).get(head, head))
            said = NUMBER.findall(line[cell].replace("±", " "))
            if not row or not column or not said:
                continue
            paths = spec.get("special", {}).get(title, spec["cell"])
            if len(said) != len(paths):
                raise ValueError(f"{title}, {head}: {line[cell]} has not {len(paths)} numbers")
            filled = [_fill(path, row, column) for path in paths]
            yield _Place(number, cell, f"{title}, {head}", list(zip(said, filled, strict=True)))


def _cells_of(line: str) -> list[str]:
    return [cell.strip(" *`") for cell in line.strip()[1:-1].split("|")]


def _texts(given: str | list[str] | None) -> list[str]:
    return [given] if isinstance(given, str) else given or []


def _fill(path: str, row: list[str], column: list[str]) -> str:
    for name, texts in (("row", row), ("column", column)):
        for place, text in enumerate(texts):
            path = path.replace(f"{{{name}{place or ''}}}", text)
    return path


def _compare(where: str, said: str, place: str, folder: Path) -> Found:
    """Return a number beside that of its file, with as many digits."""
    file, _, path = place.partition(":")
    path, _, factor = path.partition("*")
    value = look_up(json.loads((folder / file).read_text()), path) * float(factor or 1)
    return Found(where, said, f"{value:.{len(said.partition('.')[2])}f}")


if __name__ == "__main__":
    for page in pages():
        page.write_text(correct(page.read_text(), ROOT / "docs/results"))
