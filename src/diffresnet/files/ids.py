"""Which column of a table has the ids, and which only look so."""

import re
from collections.abc import Sequence

import numpy as np

from diffresnet._support.notices import tell
from diffresnet._support.words import some
from diffresnet.files.arrays import Array
from diffresnet.files.frames import TableFile, as_texts

DEFAULT_IDS = ("id", "")
"""Columns of ids, if no other is named; pandas writes its index without a name."""

LIKE_AN_ID = re.compile(
    r"(.*[\W_])?(id|ids|uuid|guid)$|index$|idx$|key$|unnamed: 0$|(?-i:.*[a-z]I[dD]$)", re.IGNORECASE
)
"""How other columns of ids are called: ID, customer_id, userId, and pandas' "Unnamed: 0"."""

NUMBER = re.compile(r"[+-]?\d*\.?\d+([eE][+-]?\d+)?")
FEWEST_ROWS = 10
"""In fewer rows, numbers that never repeat say nothing."""
N_FIRST = 1000


def choose_ids(table: TableFile, asked: str | None, others: Sequence[str | None]) -> str | None:
    """Return the column of ids, None if there is none, and say so if its name is not "id".

    It is the one asked for, "id", or the first that is called like an id and has one of its own in
    every row.

    Args:
        table: to look at.
        asked: the column that was asked for, if any.
        others: columns that are something else, such as labels.
    """
    found = table.choose(asked, DEFAULT_IDS, "--id-column")
    if found is not None:
        return found
    likely = [name for name in table.columns if LIKE_AN_ID.match(name) and name not in others]
    if not likely:
        return None
    frame = table.read(likely)
    for name in likely:
        texts = as_texts(frame, name)
        if "" not in texts and len(set(texts)) == len(texts) and not _have_fractions(texts):
            tell(f"The ids are those of the column {some([name])} of {table.path.name}.")
            return name
    return None


def _have_fractions(texts: Sequence[str]) -> bool:
    """Tell whether all are numbers, some with a fraction: a measurement, no id."""
    return all(map(NUMBER.fullmatch, texts)) and any("." in text for text in texts)


def tell_likely_ids(table: TableFile, names: Sequence[str], features: Array) -> None:
    """Say which features are called like ids, or are whole numbers that never repeat.

    Args:
        table: they come from.
        names: (d,) of the features.
        features: (N, d).
    """
    never_repeat = _whole_and_different(features)
    likely = [
        name
        for name, is_likely in zip(names, never_repeat, strict=True)
        if is_likely or LIKE_AN_ID.match(name)
    ]
    if likely:
        tell(
            f"Columns of {table.path.name} that are used as features, and look like ids: "
            f"{some(likely)}. If they are, delete them, or name one by --id-column."
        )


def _whole_and_different(features: Array) -> list[bool]:
    """Tell of each column, (d,), whether it has whole numbers only, and none of them twice."""
    if len(features) < FEWEST_ROWS:
        return [False] * features.shape[1]
    likely = np.ones(features.shape[1], dtype=bool)
    for rows in (features[:N_FIRST], features):  # most columns are out after the first rows
        seen = np.sort(rows[:, likely], axis=0)
        with np.errstate(invalid="ignore"):  # infinity less infinity
            is_good = (seen == np.rint(seen)).all(axis=0) & (np.diff(seen, axis=0) > 0).all(axis=0)
        likely[likely] = is_good
    return likely.tolist()
