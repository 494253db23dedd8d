"""A report: a page, its pictures and its numbers, in one folder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diffresnet._support.writing import encode_json
from diffresnet.report.page import Part, Table, make_page


@dataclass(frozen=True)
class Report:
    """A table or figure of the paper, computed anew.

    Attributes:
        title: of the page.
        parts: of the page.
        pictures: the content of each picture file, by its name.
        numbers: what goes into results.json.
        summaries: the tables that are printed on the terminal.
    """

    title: str
    parts: Sequence[Part]
    pictures: Mapping[str, bytes]
    numbers: Mapping[str, Any]
    summaries: Sequence[Table] = ()

    def contents(self) -> dict[str, bytes]:
        """Return the files by name: index.html, results.json and the pictures."""
        return {
            "index.html": make_page(self.title, self.parts),
            "results.json": encode_json(self.numbers),
            **self.pictures,
        }
