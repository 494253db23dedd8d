"""Points from one file, or a folder of them: ids, features and perhaps labels."""

import os
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np
from scipy import sparse

from diffresnet._support.checks import refuse
from diffresnet._support.words import count, some
from diffresnet.files.arrays import ALONE, ARRAYS, NUMBERS, Array, read_arrays
from diffresnet.files.cells import CELLS, cell_features, cell_labels, cell_links, read_cells
from diffresnet.files.features import read_rows
from diffresnet.files.frames import TABLES, TableFile, as_text, check_file, check_names, is_number
from diffresnet.files.ids import choose_ids, tell_likely_ids
from diffresnet.files.labels import DEFAULT_LABEL, as_labels, choose_label, read_labels
from diffresnet.files.opening import is_folder
from diffresnet.files.parquet import ParquetFile
from diffresnet.files.previews import BYTES, ENDS, unpack_thumbnails

TEXTS = "texts"
WHAT = "FEATURES"
BLOCK = 2**24
"""Numbers that are looked at at a time."""


@dataclass(frozen=True)
class Points:
    """What a features file holds.

    Attributes:
        ids: one a point; row numbers where the file has none.
        features: (N, d) finite numbers, float32 or float64; None if there are only ids. Those of
            an .npy file may be on the disk, and not to be written to.
        labels: one a point, "" where there is none; None if the file has no labels.
        previews: what each point looks like, as `embed` writes it; empty if the file has none.
        names: of the features, if they are columns of numbers of a table; else empty.
        links: (N, N) weights of a graph, if the file has one (.h5ad); else None.
    """

    ids: list[str]
    features: Array | None
    labels: list[str] | None
    previews: Sequence[str | bytes] = ()
    names: Sequence[str] = ()
    links: sparse.csr_array | None = None

    @property
    def texts(self) -> list[str]:
        """The texts among the previews: all of them, or none."""
        return [one for one in self.previews if isinstance(one, str)]


def read_points(
    path: Path,
    *,
    id_column: str | None = None,
    label_column: str | None = None,
    need_labels: bool = False,
    what: str = WHAT,
) -> Points:
    """Read points from an .npy, .npz, .csv, .parquet or .h5ad file, or a folder of .parquet files.

    Features are in memory once: an .npy file of floats stays on the disk until it is looked at,
    and Parquet files are read block by block into one array, of single precision where that holds
    the numbers (or they are lists of floats, as embeddings are). The files of a folder have the
    same columns, and are read in order of name.

    Args:
        path: of the file or folder.
        id_column: of the ids; by default "id", the one without a name that pandas writes, or one
            that is called like an id and has another value in every row.
        label_column: of the labels, if the file has it; by default "label". It is no feature.
        need_labels: whether the file must have the `label_column`.
        what: the argument or option that named the file, for messages.

    Raises:
        ValueError: if the file cannot be read, or something in it is wrong.
    """
    if not path.suffix and not os.path.lexists(path):
        refuse(what, "a file or folder that exists", path, "Check its name.")
    suffix = "" if is_folder(path) else check_file(path, what, (*ARRAYS, *TABLES, CELLS))
    if suffix == CELLS:
        points = _from_cells(path, label_column, what, need_labels=need_labels)
    elif suffix in ARRAYS:
        points = _from_arrays(path, what)
    else:
        points = _from_table(path, id_column, label_column, what, need_labels=need_labels)
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
    arrays = read_arrays(path, what, is_mapped=True)
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
    names = map(str, range(n_points)) if ids is None else map(as_text, ids.tolist())
    return Points(
        _check_ids(list(names), what),
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
    if features.ndim != 2 or features.dtype.kind not in NUMBERS or not features.size:
        got = f"shape {features.shape} of {features.dtype}"
        refuse(what, "numbers of shape (points, features)", got, "Save one row for each point.")
    if features.dtype.char in "fd":
        return features
    is_single = np.can_cast(features.dtype, np.float32)  # float16 and numbers of a byte or two
    with np.errstate(over="ignore", invalid="ignore"):  # of long doubles, which are then refused
        return features.astype(np.float32 if is_single else np.float64)


def _from_table(
    path: Path, id_column: str | None, label_column: str | None, what: str, *, need_labels: bool
) -> Points:
    table = TableFile(path, what)
    _check_header(table.columns, path, what)
    if need_labels or label_column is None or label_column in table.columns:
        label_column = choose_label(table, label_column)
    else:  # the file of labels has it
        label_column = None
    id_column = choose_ids(table, id_column, [label_column])
    rows = read_rows(table, id_column, label_column)
    names: list[str] = []
    if rows.features is not None:
        names = rows.numbers if len(rows.numbers) == rows.features.shape[1] else []
        tell_likely_ids(table, rows.numbers, rows.features[:, : len(rows.numbers)])
    return Points(
        _check_ids(rows.ids, what, table.files),
        rows.features,
        None if rows.labels is None else as_labels(rows.labels, path, what),
        names=names,
    )


def _from_cells(path: Path, label_column: str | None, what: str, *, need_labels: bool) -> Points:
    cells, key = read_cells(path, what), label_column or DEFAULT_LABEL
    has_labels = need_labels or label_column is not None or key in cells.obs
    labels = cell_labels(what, cells, key) if has_labels else None
    features = cell_features(what, cells)
    return Points(
        _check_ids([as_text(name) for name in cells.obs_names], what),
        None if features is None else _choose_features({ALONE: features}, path, what),
        None if labels is None else as_labels(labels, path, what),
        links=cell_links(what, cells),
    )


def _check_header(columns: Sequence[str], path: Path, what: str) -> None:
    """Refuse a CSV file whose first row is a point; pandas' own names 0, 1, ... are welcome."""
    plain = [name.split("_duplicated")[0] for name in columns]
    if plain == [str(place) for place in range(len(plain))] or path.suffix.lower() != ".csv":
        return
    if not all(map(is_number, plain)):
        return
    got = f"{path} with the numbers {some(plain)}"
    refuse(what, "a table with names in its first row", got, "Add a row of names.")


def _check_ids(ids: list[str], what: str, files: Sequence[ParquetFile] = ()) -> list[str]:
    """Return ids that are good: there is one in each row, of its own; `files` they come from."""
    check_names(ids, what, "ids")
    if "" in ids:
        row = ids.index("")
        file, first = _file_of(row, files)
        got = f"none in row {row - first}{f' of {file}' if len(files) > 1 else ''}"
        refuse(what, "points with an id each", got, "Fill the column of ids.")
    if len(set(ids)) < len(ids):
        twice = [name for name, n_rows in Counter(ids).items() if n_rows > 1]
        got = f"{len(twice)} more than once: {some(twice)}"
        row = ids.index(twice[0])
        where = [_file_of(one, files)[0] for one in (row, ids.index(twice[0], row + 1))]
        if where[0] != where[1]:
            got += f" ({some(twice[:1])} in {where[0]} and in {where[1]})"
        refuse(what, "points with an id each of its own", got, "Keep one row of each.")
    return ids


def _file_of(row: int, files: Sequence[ParquetFile]) -> tuple[str, int]:
    """Return the name of the file that a row is in, and the first row of it."""
    starts = [0, *accumulate(file.n_rows for file in files)]
    place = bisect_right(starts, row) - 1
    return (files[place].path.name, starts[place]) if files else ("", 0)


def _check_finite(features: Array, ids: Sequence[str], what: str) -> None:
    n_rows = max(1, BLOCK // features.shape[1])
    bad: list[int] = []
    for begin in range(0, len(features), n_rows):
        is_good = np.isfinite(features[begin : begin + n_rows]).all(axis=1)
        bad += (begin + np.flatnonzero(~is_good)).tolist()
    if bad:
        got = f"missing or infinite ones in {count(len(bad), 'row')}: "
        got += some([ids[row] for row in bad])
        refuse(what, "finite numbers", got, "Fill these cells, or leave out these rows.")
