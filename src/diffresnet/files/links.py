"""Links from a file: a table of ids, or a sparse matrix."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse

from diffresnet._support.checks import refuse
from diffresnet._support.sparse_checks import check_parts, check_sparse
from diffresnet._support.words import reason_of, some
from diffresnet.files.arrays import read_arrays
from diffresnet.files.frames import TABLES, TableFile, as_texts, check_file, places_of
from diffresnet.files.opening import UNREADABLE

WHAT = "--graph"
POINTS = "FEATURES"
WEIGHT = "weight"
PARTS = {
    **dict.fromkeys(("csr", "csc", "bsr"), ("data", "indices", "indptr")),
    "coo": ("data", "row", "col"),
    "dia": ("data", "offsets"),
}
"""What `scipy.sparse.save_npz` writes, by the format of the matrix."""


def read_graph(
    path: Path, ids: Sequence[str], what: str = WHAT, points: str = POINTS
) -> sparse.csr_array:
    """Return the symmetric weights of the links between the points `ids`, (N, N).

    A link that is given several times, or in both directions, counts once, with its largest weight.

    Args:
        path: a .csv or .parquet file with two columns of ids and, if there are weights, a third;
            or an .npz file written by `scipy.sparse.save_npz`, in the order of `ids`.
        ids: of the points.
        what: the option that named the file, for messages.
        points: the option that named the points.
    """
    if check_file(path, what, (*TABLES, ".npz")) == ".npz":
        links = _from_matrix(path, len(ids), what, points)
    else:
        links = _from_table(path, ids, what, points)
    if not np.isfinite(links.data).all() or (links.data < 0).any():
        got = "negative, missing or infinite ones"
        refuse(what, "weights of zero or more", got, "Correct them, or leave out these links.")
    if not (links.data > 0).any():
        refuse(what, "links between points", f"{path} without any", "Add some.")
    return _largest(links)


def _from_matrix(path: Path, n_points: int, what: str, points: str) -> sparse.coo_array:
    arrays = read_arrays(path, what)
    try:
        # One word and two numbers: longer arrays would take much memory as texts.
        kind = str(np.array(arrays["format"].item()).astype(np.str_))
        shape = tuple(arrays["shape"].ravel()[:3].tolist())
        parts = [arrays[name] for name in PARTS[kind]]
    except UNREADABLE:
        got, remedy = f"{path} with {some(list(arrays))}", "Write it by `scipy.sparse.save_npz`."
        refuse(what, "a sparse matrix or a table", got, remedy)
    if shape != (n_points, n_points):
        must = f"of shape ({n_points}, {n_points}), as there are points in {points}"
        refuse(what, must, shape, "Give a row and a column for each point.")
    check_parts(what, *parts)
    given = (parts[0], tuple(parts[1:])) if kind == "coo" else tuple(parts)
    try:
        matrix: Any = getattr(sparse, f"{kind}_array")(given, shape=shape)
    except UNREADABLE as error:
        got, remedy = f"{path} ({reason_of(error)})", "Write it by `scipy.sparse.save_npz`."
        refuse(what, "a sparse matrix", got, remedy)
    check_sparse(what, matrix)
    return sparse.coo_array(matrix.astype(np.float64))


def _from_table(path: Path, ids: Sequence[str], what: str, points: str) -> sparse.coo_array:
    table = TableFile(path, what)
    ends = [name for name in table.columns if name != WEIGHT][:2]
    others = [name for name in table.columns if name not in ends]
    if len(ends) != 2 or len(others) > 1:
        must = "a table of two columns of ids and perhaps one of weights"
        refuse(what, must, f"{path} with {some(table.columns, 10)}", "Leave out the others.")
    if set(ends) <= set(ids):
        got = f"{path} with the ids {some(ends)}"
        refuse(what, "a table with names in its first row", got, "Add a row of names.")
    frame = table.read(ends, others)
    rows, targets = (
        places_of(as_texts(frame, name), ids, what, points, things="links", parts="links")
        for name in ends
    )
    weights = np.ones(len(frame))
    if others:
        if not frame[others[0]].dtype.is_numeric():
            got = f"the column '{others[0]}' with {frame[others[0]].dtype}"
            refuse(what, "numbers as weights", got, "Correct it, or leave it out.")
        weights = frame[others[0]].to_numpy().astype(np.float64)
    return sparse.coo_array((weights, (rows, targets)), shape=(len(ids), len(ids)))


def _largest(links: sparse.coo_array) -> sparse.csr_array:
    """Return both directions of each link, with the largest of its weights."""
    low, high = np.minimum(links.row, links.col), np.maximum(links.row, links.col)
    pairs = pl.DataFrame({"low": low, "high": high, "weight": links.data})
    pairs = pairs.group_by("low", "high").max()
    places = pairs["low"].to_numpy(), pairs["high"].to_numpy()
    upper = sparse.csr_array((pairs["weight"].to_numpy(), places), shape=links.shape)
    return sparse.csr_array(upper.maximum(upper.T))
