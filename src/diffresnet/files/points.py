"""Points from one file: ids, features and perhaps labels."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from diffresnet._support.checks import refuse
from diffresnet._support.words import count, some
from diffresnet.files.arrays import ALONE, ARRAYS, Array, read_arrays
from diffresnet.files.frames import (
    TABLES,
    TableFile,
    as_text,
    as_texts,
    check_file,
    check_names,
    columns_named,
)
from diffresnet.files.ids import choose_ids, tell_likely_ids
from diffresnet.files.labels import DEFAULT_LABEL, as_labels, read_labels
from diffresnet.files.previews import BYTES, ENDS, unpack_thumbnails

TEXTS = "texts"
WHAT = "FEATURES"
DECIMAL_COMMA = r"^[+-]?\d+,\d+$"
IS_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?(nan|inf)", re.IGNORECASE)


@dataclass(frozen=True)
class Points:
    """What a features file holds.

    Attributes:
        ids: one a point; row numbers where the file has none.
        features: (N, d) finite numbers; None if there are only ids.
        labels: one a point, "" where there is none; None if the file has no labels.
        previews: what each point looks like, as `embed` writes it; empty if the file has none.
    """

    ids: list[str]
    features: Array | None
    labels: list[str] | None
    previews: Sequence[str | bytes] = ()


def read_points(
    path: Path,
    *,
    id_column: str | None = None,
    label_column: str | None = None,
    need_labels: bool = False,
    what: str = WHAT,
) -> Points:
    """Read points from an .npy, .npz, .csv or .parquet file.

    Args:
        path: of the file.
        id_column: of the ids; by default "id", the one without a name that pandas writes, or one
            that is called like an id and has another value in every row.
        label_column: of the labels, if the file has it; by default "label". It is no feature.
        need_labels: whether the file must have the `label_column`.
        what: the argument or option that named the file, for messages.

    Raises:
        ValueError: if the file cannot be read, or something in it is wrong.
    """
    suffix = check_file(path, what, (*ARRAYS, *TABLES))
    if suffix in ARRAYS:
        points = _from_arrays(path, what)
    else:
        points = _from_table(path, id_column, label_column, what, need_labels=need_labels)
    _check_ids(points.ids, what)
    if points.features is not None:
        _check_finite(points.features, points.ids, what)
    return points


def labels_of(
    points: Points,
    labels: Path | None,
    *,
    id_column: str | None = None,
    label_column: str | None = None,
    what: str = WHAT,
    otherwise: str = "",
) -> list[str]:
    """Return the label of each point, "" where there is none: of the file `labels`, or its own.

    Where there are neither, it is refused; `otherwise` says what else one can do.
    """
    if labels is not None:
        return read_labels(labels, points.ids, id_column=id_column, label_column=label_column)
    if points.labels is None:
        must = f"given, or {what} must have a column '{label_column or DEFAULT_LABEL}'"
        remedy = f"Pass --labels FILE or --label-column NAME{otherwise}."
        refuse("--labels", must, "neither", remedy)
    return points.labels


def _from_arrays(path: Path, what: str) -> Points:
    arrays = read_arrays(path, what)
    ids, labels = arrays.pop("ids", None), arrays.pop("labels", None)
    looks = {name: arrays.pop(name) for name in (TEXTS, BYTES, ENDS) if name in arrays}
    features = _choose_features(arrays, path, what)
    given = ids if features is None else features
    if given is None or given.ndim == 0:
        refuse(what, "a file with an array of features", path, "Save it with `features=`.")
    n_points = len(given)
    for name, array in (("ids", ids), ("labels", labels)):
        if array is not None and array.shape != (n_points,):
            must = f"of shape ({n_points},), one a point"
            refuse(f"{what}: {name}", must, f"shape {array.shape}", "Save it again.")
    return Points(
        [str(row) for row in range(n_points)] if ids is None else list(map(as_text, ids.tolist())),
        features,
        None if labels is None else as_labels(labels.tolist(), path, what),
        _previews_of(looks, n_points, path, what),
    )


def _previews_of(
    looks: dict[str, Array], n_points: int, path: Path, what: str
) -> Sequence[str | bytes]:
    """Return the texts or thumbnails that `embed` writes, if there is one for each point."""
    if TEXTS in looks:
        texts = looks[TEXTS].ravel()
        return [as_text(text) for text in texts.tolist()] if len(texts) == n_points else ()
    try:
        thumbnails = unpack_thumbnails(looks) if len(looks) == 2 else ()
        return thumbnails if len(thumbnails) == n_points else ()
    except ValueError as error:
        refuse(what, "a file that embed wrote", f"{path} ({error})", "Write it again.")


def _choose_features(arrays: dict[str, Array], path: Path, what: str) -> Array | None:
    """Return the array `features`, or the only one of two dimensions."""
    wide = [name for name, array in arrays.items() if array.ndim == 2]
    if ALONE in arrays or "features" in arrays:
        features = arrays[ALONE if ALONE in arrays else "features"]
    elif len(wide) == 1:
        features = arrays[wide[0]]
    elif wide:
        got = f"{path} with the arrays {some(wide)}"
        refuse(what, "a file with one array of features", got, "Name one of them `features`.")
    else:
        return None
    if features.ndim != 2 or features.dtype.kind not in "biuf" or not features.size:
        got = f"shape {features.shape} of {features.dtype}"
        refuse(what, "numbers of shape (points, features)", got, "Save one row for each point.")
    return features if features.dtype.char in "fd" else features.astype(np.float64)


def _from_table(
    path: Path, id_column: str | None, label_column: str | None, what: str, *, need_labels: bool
) -> Points:
    table = TableFile(path, what)
    columns = table.columns
    if need_labels:
        table.choose(label_column, [DEFAULT_LABEL], "--label-column")
    label_column = label_column or DEFAULT_LABEL
    _check_header(columns, path, what)
    id_column = choose_ids(table, id_column, [label_column])
    named = [name for name in (id_column, label_column) if name is not None and name in columns]
    names = [name for name in columns if name not in named]
    frame = table.read(named, names)
    kinds = frame.schema  # asked for once: it is made anew each time
    lists = {name for name in names if isinstance(kinds[name], pl.List | pl.Array)}
    numbers = [name for name in names if name not in lists]
    parts = [_stack(frame, name, what) for name in names if name in lists]
    if numbers:
        _check_numbers(frame, numbers, path, what)
        parts.insert(0, frame.select(columns_named(numbers).cast(pl.Float64)).to_numpy())
        tell_likely_ids(table, numbers, parts[0])
    return Points(
        as_texts(frame, id_column),
        np.concatenate(parts, axis=1) if parts else None,
        as_labels(frame[label_column].to_list(), path, what) if label_column in columns else None,
    )


def _check_header(columns: Sequence[str], path: Path, what: str) -> None:
    """Refuse a CSV file whose first row is a point; pandas' own names 0, 1, ... are welcome."""
    plain = [name.split("_duplicated")[0] for name in columns]
    if plain == [str(place) for place in range(len(plain))] or path.suffix.lower() != ".csv":
        return
    try:
        _ = [float(name) for name in plain]
    except ValueError:
        return
    got = f"{path} with the numbers {some(plain)}"
    refuse(what, "a table with names in its first row", got, "Add a row of names.")


def _check_numbers(frame: pl.DataFrame, names: Sequence[str], path: Path, what: str) -> None:
    """Refuse a column that has something else than numbers."""
    kinds = frame.schema
    name = next((one for one in names if not kinds[one].is_numeric()), None)
    if name is None:
        return
    must, column = "numbers in every column", f"the column {some([name])} of {path.name}"
    if kinds[name] != pl.String:
        remedy = "Leave it out, or name it by --id-column or --label-column."
        refuse(what, must, f"{column} with {kinds[name]}", remedy)
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


def _stack(frame: pl.DataFrame, name: str, what: str) -> Array:
    """Return a column of lists as an array with a row for each."""
    column = frame[name]
    if isinstance(column.dtype, pl.Array):
        column = column.arr.to_list()
    lengths = column.list.len().unique().to_list()
    inner = getattr(column.dtype, "inner", None)
    if inner is None or not inner.is_numeric() or len(lengths) != 1 or not lengths[0]:
        got = f"the column {some([name])} with {column.dtype}, of {count(len(lengths), 'length')}"
        remedy = "Write as many numbers in every row, or leave it out."
        refuse(what, "lists of as many numbers in every row", got, remedy)
    numbers = column.explode().cast(pl.Float64).to_numpy()
    return numbers.reshape(len(column), lengths[0])


def _check_ids(ids: Sequence[str], what: str) -> None:
    check_names(ids, what, "ids")
    if "" in ids:
        row = ids.index("")
        refuse(what, "points with an id each", f"none in row {row}", "Fill the column of ids.")
    twice = [name for name, n_rows in Counter(ids).items() if n_rows > 1]
    if twice:
        got = f"{len(twice)} more than once: {some(twice)}"
        refuse(what, "points with an id each of its own", got, "Keep one row of each.")


def _check_finite(features: Array, ids: Sequence[str], what: str) -> None:
    bad = np.flatnonzero(~np.isfinite(features).all(axis=1)).tolist()
    if bad:
        got = f"missing or infinite ones in {len(bad)} rows, of the ids "
        got += some([ids[row] for row in bad])
        refuse(what, "finite numbers", got, "Fill these cells, or leave out these rows.")
