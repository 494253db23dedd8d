"""Labels from a file, given by id or row by row."""

import re
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from diffresnet._support.checks import refuse
from diffresnet._support.notices import tell
from diffresnet._support.words import count, some
from diffresnet.files.arrays import ALONE, ARRAYS, read_arrays
from diffresnet.files.frames import (
    TABLES,
    TableFile,
    as_text,
    as_texts,
    check_file,
    check_names,
    is_number,
    places_of,
)
from diffresnet.files.ids import DEFAULT_IDS, LIKE_AN_ID
from diffresnet.learning.labels import is_missing

WHAT = "--labels"
DEFAULT_LABEL = "label"
WHOLE = re.compile(r"^([+-]?\d+)\.0*$")
"""A whole number, as tables with gaps have it."""


def choose_label(table: TableFile, asked: str | None) -> str | None:
    """Return the column of labels: the one asked for, "label" or "Label"; None if there is none."""
    found = table.choose(asked, [DEFAULT_LABEL], "--label-column")
    alike = [name for name in table.columns if name.lower() == DEFAULT_LABEL]
    return alike[0] if found is None and len(alike) == 1 else found


def as_labels(values: Sequence[Any], path: Path, what: str) -> list[str]:
    """Return labels as text, "" where there is none.

    Where all are numbers, 1.0 is 1. A notice says which texts were taken for none, and which names,
    such as Cat and cat, differ in spelling only.

    Args:
        values: labels of any kind; `is_missing` says which of them are none.
        path: of their file, for messages.
        what: the argument or option that named it.

    Examples:
        >>> as_labels([0, -1, None, 2.0, "cat"], Path("a.csv"), "FEATURES")
        ['0', '', '', '2', 'cat']
    """
    try:
        counts = Counter(values)
    except TypeError:  # lists and the like have no hash
        values = list(map(as_text, values))
        counts = Counter(values)
    names = {value: "" if is_missing(value) else as_text(value).strip() for value in counts}
    if all(map(is_number, filter(None, names.values()))):
        names = {value: WHOLE.sub(r"\1", name) for value, name in names.items()}
    check_names(list(names.values()), what, "labels")
    none: Counter[str] = Counter()
    for value, n in counts.items():
        if isinstance(value, str) and value.strip() and not names[value]:
            none[value.strip()] += n
    if none:
        named = ", ".join(f"'{text}' ({count(n, 'time')})" for text, n in sorted(none.items()))
        tell(f"{path.name}: {named} among the labels means no label. Rename it if it is a class.")
    alike = [" / ".join(group) for group in _group_alike(sorted(set(names.values())))]
    if alike:
        advice = "Write the names alike if they are one class."
        tell(f"{path.name}: {some(alike)} among the labels are different classes. {advice}")
    return list(map(names.__getitem__, values))


def _group_alike(names: Sequence[str]) -> list[list[str]]:
    """Group names that differ in how a number is written, in capitals or spaces only."""
    groups: dict[object, list[str]] = {}
    for name in names:
        groups.setdefault(_essence(name), []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def _essence(name: str) -> object:
    """Return what names that differ in spelling only have in common."""
    return Decimal(name) if is_number(name) else " ".join(name.casefold().split())


def read_labels(
    path: Path,
    ids: Sequence[str],
    *,
    id_column: str | None = None,
    label_column: str | None = None,
) -> list[str]:
    """Return the label of each of the points `ids`, "" where there is none.

    Args:
        path: a .csv or .parquet file with ids and labels, or an .npy or .npz file (array `labels`)
            with one label a point, in the order of `ids`.
        ids: of the points.
        id_column: of a table; by default "id", or what is not the label of two columns.
        label_column: of a table; by default "label", or what is not the id of two columns.
    """
    if check_file(path, WHAT, (*TABLES, *ARRAYS)) in ARRAYS:
        return _from_arrays(path, len(ids))
    names, labels = read_label_table(path, id_column=id_column, label_column=label_column)
    return place_labels(names, labels, ids)


def read_label_table(
    path: Path, *, id_column: str | None = None, label_column: str | None = None
) -> tuple[list[str], list[str]]:
    """Return the ids and the labels of a .csv or .parquet table, row by row; "" is no label.

    The others are as in `read_labels`.
    """
    check_file(path, WHAT, TABLES)
    table = TableFile(path, WHAT)
    names, label = _choose_columns(table, id_column, label_column)
    frame = table.read([names, label])
    return as_texts(frame, names), as_labels(frame[label].to_list(), path, WHAT)


def check_classes(labels: Sequence[str], what: str = WHAT) -> None:
    """Refuse labels of fewer than two classes: there is nothing to learn from."""
    classes = sorted(set(labels) - {""})
    if len(classes) < 2:
        got = f"one class only, '{classes[0]}'" if classes else "no label at all"
        remedy = f"Label a point of {'another' if classes else 'each'} class."
        refuse(what, "labels of two classes or more", got, remedy)


def _from_arrays(path: Path, n_points: int) -> list[str]:
    arrays = read_arrays(path, WHAT)
    name = ALONE if ALONE in arrays else "labels"
    if name not in arrays:
        got = f"{path} with {some(list(arrays))}"
        refuse(WHAT, "a file with an array `labels`", got, "Save it with `labels=`.")
    labels = np.squeeze(arrays[name])
    if labels.shape != (n_points,):
        must = f"of shape ({n_points},), one a point of FEATURES"
        remedy = "Give -1 or '' where there is no label."
        refuse(WHAT, must, f"shape {arrays[name].shape}", remedy)
    return as_labels(labels.tolist(), path, WHAT)


def _choose_columns(
    table: TableFile, id_column: str | None, label_column: str | None
) -> tuple[str, str]:
    """Return the column of the ids and that of the labels."""
    columns = table.columns
    likely = [name for name in columns if LIKE_AN_ID.match(name) and name != DEFAULT_LABEL]
    usual = (id_column, *DEFAULT_IDS, *likely)
    ids = [name for name in usual if name in columns and name != label_column]
    got = f"{table.path} with {some(columns, 10)}"
    label = choose_label(table, label_column)
    if label is None and len(columns) == 2 and ids:
        label = next(name for name in columns if name != ids[0])
    if label is None:
        must = f"a table with a column '{DEFAULT_LABEL}'"
        refuse(WHAT, must, got, "Name it by --label-column.")
    if not ids and len(columns) == 2:
        ids = [name for name in columns if name != label]
    if not ids:
        must = f"a table with a column '{id_column or DEFAULT_IDS[0]}'"
        refuse(WHAT, must, got, "Name it by --id-column.")
    return ids[0] or "", label


def place_labels(
    names: Sequence[str],
    labels: Sequence[str],
    ids: Sequence[str],
    what: str = WHAT,
    points: str = "FEATURES",
    *,
    parts: str = "rows",
    otherwise: str | None = None,
) -> list[str]:
    """Put each label where its point is; different ones for a point are refused.

    Args:
        names: the ids that labels are for.
        labels: of these, "" for none.
        ids: of the points.
        what: the argument or option that named the file, for messages.
        points: what the ids are in, for messages.
        parts: what a file has of an id, for messages.
        otherwise: what to do but removing parts, for messages; None to name the column of ids.
    """
    places = places_of(names, ids, what, points, things="labels", parts=parts, otherwise=otherwise)
    aligned = [""] * len(ids)
    torn: dict[str, None] = {}
    for name, place, label in zip(names, places, labels, strict=True):
        if label and aligned[place] not in ("", label):
            torn[name] = None
        aligned[place] = label or aligned[place]
    if torn:
        got = f"different ones for {some(list(torn))}"
        refuse(what, "one label for an id", got, "Keep the right one.")
    return aligned
