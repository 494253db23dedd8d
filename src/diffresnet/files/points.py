"""Points from one file: ids, features and perhaps labels."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from diffresnet._support.checks import refuse
from diffresnet._support.words import some
from diffresnet.files.arrays import ALONE, ARRAYS, Array, read_arrays
from diffresnet.files.frames import TABLES, TableFile, as_text, as_texts, check_file
from diffresnet.files.labels import DEFAULT_IDS, DEFAULT_LABEL, as_labels, read_labels
from diffresnet.files.previews import BYTES, ENDS, unpack_thumbnails

WHAT = "FEATURES"


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
        id_column: of the ids; by default "id", or the one without a name that pandas writes.
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
    previews = _take_previews(arrays, path, what)
    features = _choose_features(arrays, path, what)
    given = ids if features is None else features
    if given is None:
        refuse(what, "a file with an array of features", path, "Save it with `features=`.")
    n_points = len(given)
    for name, array in (("ids", ids), ("labels", labels)):
        if array is not None and array.shape != (n_points,):
            must = f"of shape ({n_points},), one a point"
            refuse(f"{what}: {name}", must, f"shape {array.shape}", "Save it again.")
    return Points(
        [str(row) for row in range(n_points)] if ids is None else list(map(as_text, ids.tolist())),
        features,
        None if labels is None else as_labels(labels.tolist()),
        previews if len(previews) == n_points else (),
    )


def _take_previews(arrays: dict[str, Array], path: Path, what: str) -> Sequence[str | bytes]:
    """Take the texts or thumbnails that `embed` writes out of the arrays of a file."""
    texts = arrays.pop("texts", None)
    packed = {name: arrays.pop(name) for name in (BYTES, ENDS) if name in arrays}
    if texts is not None:
        return [as_text(text) for text in texts.ravel().tolist()]
    try:
        return unpack_thumbnails(packed) if len(packed) == 2 else ()
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
    id_column = table.choose(id_column, DEFAULT_IDS, "--id-column")
    named = [name for name in (id_column, label_column) if name is not None and name in columns]
    frame = table.read(named)
    return Points(
        as_texts(frame, id_column),
        _numbers(frame, [name for name in columns if name not in named], path, what),
        as_labels(frame[label_column].to_list()) if label_column in columns else None,
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


def _numbers(frame: pl.DataFrame, names: Sequence[str], path: Path, what: str) -> Array | None:
    """Return the columns as one array, missing cells as NaN."""
    if not names:
        return None
    for name in names:
        dtype = frame[name].dtype
        if not dtype.is_numeric():
            got = f"the column '{name}' of {path.name} with {dtype}"
            remedy = "Leave it out, or name it by --id-column or --label-column."
            refuse(what, "numbers in every column", got, remedy)
    return np.column_stack([frame[name].to_numpy() for name in names]).astype(np.float64)


def _check_ids(ids: Sequence[str], what: str) -> None:
    if "" in ids:
        row = ids.index("")
        refuse(what, "points with an id each", f"none in row {row}", "Fill the column of ids.")
    twice = [name for name, count in Counter(ids).items() if count > 1]
    if twice:
        got = f"{len(twice)} more than once: {some(twice)}"
        refuse(what, "points with an id each of its own", got, "Keep one row of each.")


def _check_finite(features: Array, ids: Sequence[str], what: str) -> None:
    bad = np.flatnonzero(~np.isfinite(features).all(axis=1)).tolist()
    if bad:
        got = f"missing or infinite ones in {len(bad)} rows, of the ids "
        got += some([ids[row] for row in bad])
        refuse(what, "finite numbers", got, "Fill these cells, or leave out these rows.")
