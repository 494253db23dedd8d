"""Search in texts and ids."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from diffresnet._support.checks import refuse

LONGEST_QUERY = 1000


class Search:
    """Finds points whose text or id has some words in it, however they are written.

    Args:
        ids: of the points.
        texts: of the points; none if they have none.

    Examples:
        >>> Search(["a", "b", "abc"], ["One", "two", "three"]).find("ON").tolist()
        [0]
    """

    def __init__(self, ids: Sequence[str], texts: Sequence[str]) -> None:
        self.columns = [
            pl.Series(column, dtype=pl.String).str.to_lowercase()
            for column in (ids, texts)
            if len(column)
        ]

    def find(self, given: Any) -> Any:
        """Return the rows in which the text is found, (n,); none for an empty text."""
        if not isinstance(given, str) or len(given) > LONGEST_QUERY:
            must = f"a text of up to {LONGEST_QUERY:,} letters"
            refuse("`q`", must, "something else", "Write less.")
        words = given.strip().lower()
        if not words:
            return np.empty(0, dtype=np.int64)
        found = [column.str.contains(words, literal=True).to_numpy() for column in self.columns]
        return np.flatnonzero(np.logical_or.reduce(found))
