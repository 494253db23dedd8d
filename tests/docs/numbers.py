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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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


def _of_table(spec: dict[str, Any], table: str, folder: Path) -> list[Found]:
    lines = [_cells_of(line) for line in table.splitlines() if line.strip()]
    n_keys, found = spec.get("keys", 1), list[Found]()
    for line in lines[2:]:
        title = ", ".join(line[:n_keys])
        words = [spec.get("words", {}).get(word, word) for word in line[:n_keys]]
        row = _texts(spec.get("rows", {}).get(title, words))
        for head, cell in zip(lines[0][n_keys:], line[n_keys:], strict=True):
            column = _texts(spec.get("columns", {}).get(head, head))
            said = NUMBER.findall(cell.replace("±", " "))
            if not row or not column or not said:
                continue
            paths = spec.get("special", {}).get(title, spec["cell"])
            if len(said) != len(paths):
                raise ValueError(f"{title}, {head}: {cell} has not {len(paths)} numbers")
            for number, path in zip(said, paths, strict=True):
                place = _fill(path, row, column)
                found.append(_compare(f"{title}, {head}", number, place, folder))
    return found


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
