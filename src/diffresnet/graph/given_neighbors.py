"""Neighbors that another library has found: checked, put in order, and weighed."""

from typing import Any, get_args

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from diffresnet._support.checks import as_array, as_tensor, check_choice, check_real, fail
from diffresnet._support.sparse_checks import check_sparse
from diffresnet._support.types import Array, Normalization, SparseMatrix
from diffresnet.graph.exact_search import Neighbors, by_distance
from diffresnet.graph.weights import Bandwidths, weigh_neighbors

MISSING = -1
"""The index of a neighbor that there is not."""

NAMES = "distances", "indices"


def weights_from_neighbors(
    distances: Array | SparseMatrix,
    indices: Array | None = None,
    *,
    n_top: int | None = None,
    bandwidth: float | None = None,
    bandwidth_rank: int | None = None,
    bandwidth_scale: float = 1.0,
    normalization: Normalization = "symmetric",
) -> Tensor:
    """Build W = Normalize(Sparse(K, n_top)) from neighbors that another library has found.

    The same as `build_weights`, without its search. Each row has the neighbors of one point, in any
    order; the point itself may be among them or not, and counts as the nearest, at distance 0.
    Where there are fewer neighbors, the index is -1 or the distance infinite.

    Args:
        distances: (N, k), plain: take the root of squared ones, as faiss returns them. Or an (N, N)
            sparse matrix of SciPy whose entries are the distances to neighbors.
        indices: (N, k) integers; None for a sparse matrix.
        n_top: neighbors kept in a row, the point itself counted; None for all that are given.
        bandwidth: as for `build_weights`.
        bandwidth_rank: as for `build_weights`; where a point has fewer neighbors, the distance of
            the farthest counts.
        bandwidth_scale: as for `build_weights`.
        normalization: see `normalize`.

    Returns:
        A CSR tensor (N, N). No gradient flows to `distances`.

    Raises:
        ValueError: if the shapes differ, an index is out of range or twice in its row, a distance
            is negative or NaN, or an argument is out of range.

    Examples:
        >>> distances = torch.tensor([[1.0], [1.0], [2.0]])
        >>> indices = torch.tensor([[1], [0], [1]])
        >>> weights_from_neighbors(
        ...     distances, indices, bandwidth=1.0, normalization="row"
        ... ).to_dense()
        tensor([[0.7311, 0.2689, 0.0000],
                [0.2689, 0.7311, 0.0000],
                [0.0000, 0.0180, 0.9820]])
    """
    function = "weights_from_neighbors"
    check_choice(function, "normalization", normalization, get_args(Normalization))
    if sparse.issparse(distances):
        if indices is not None:
            remedy = "Pass the matrix alone."
            fail(function, "indices", "None beside a sparse matrix", "both", remedy)
        near = neighbors_of_matrix(function, "distances", distances)
    else:
        near = as_neighbors(function, NAMES, distances, indices)
    width = near.indices.shape[1]
    of, n_kept = (
        "the number of neighbors, the point itself counted",
        width if n_top is None else n_top,
    )
    kept = Bandwidths(function, width, n_kept, bandwidth, bandwidth_rank, of=of)
    scale = check_real(function, "bandwidth_scale", bandwidth_scale)
    return weigh_neighbors(near, kept, scale, normalization)


def as_neighbors(function: str, names: tuple[str, str], distances: Any, indices: Any) -> Neighbors:
    """Return neighbors as this package has them: the point itself first, then from near to far.

    Args:
        function: that they are given to, for messages.
        names: of its two arguments.
        distances: (N, k).
        indices: (N, k).

    Returns:
        Rows as long as the longest needs. Where there are fewer neighbors, the distance is
        infinite and the index that of the point itself.
    """
    lengths = as_tensor(function, names[0], distances).detach()
    places = _as_indices(function, names[1], indices).to(lengths.device)
    shape = tuple(lengths.shape)
    if lengths.layout != torch.strided or lengths.ndim != 2 or 0 in shape:
        must, remedy = "of shape (N, k), not empty", "Pass one row for each point."
        fail(function, names[0], must, f"shape {shape}", remedy)
    if places.shape != lengths.shape:
        remedy = "Pass one index for each distance."
        fail(function, names[1], f"of shape {shape}", f"shape {tuple(places.shape)}", remedy)
    own = torch.arange(len(places), device=places.device).unsqueeze(1)
    is_own = places == own
    missing = ~is_own & ((places == MISSING) | (lengths == torch.inf))
    _check_entries(function, names, torch.where(is_own, 0, lengths), places, missing)
    lengths = torch.where(missing | is_own, torch.inf, lengths)
    near = by_distance(lengths, torch.where(missing, own, places))
    n_others = int(near.distances.isfinite().sum(dim=1).max())
    distances = torch.cat([torch.zeros_like(lengths[:, :1]), near.distances[:, :n_others]], dim=1)
    return Neighbors(distances, torch.cat([own, near.indices[:, :n_others]], dim=1))


def neighbors_of_matrix(
    function: str, name: str, matrix: Any, most: int | None = None
) -> Neighbors:
    """Return the neighbors that the entries of a sparse matrix of distances are.

    Args:
        function: that it is given to, for messages.
        name: of its argument.
        matrix: (N, N), of SciPy; entries of 0 are neighbors at distance 0.
        most: entries of a row that are needed, the nearest; None for all.
    """
    shape = tuple(matrix.shape)
    if len(shape) != 2 or shape[0] != shape[1] or 0 in shape:
        fail(function, name, "square", f"shape {shape}", "Pass one row and one column a point.")
    check_sparse(f"{function}: `{name}`", matrix)
    entries = sparse.coo_array(matrix)
    rows, columns = (np.asarray(part, dtype=np.int64) for part in entries.coords)
    values = as_tensor(function, name, entries.data).numpy()
    order = np.lexsort((columns, values, rows))
    rows, columns, values = rows[order], columns[order], values[order]
    counts = np.bincount(rows, minlength=shape[0])
    place = np.arange(len(rows)) - (counts.cumsum() - counts)[rows]
    width = max(1, int(counts.max()) if most is None else min(most, int(counts.max())))
    near = place < width
    distances = np.full((shape[0], width), np.inf, dtype=values.dtype)
    indices = np.full((shape[0], width), MISSING, dtype=np.int64)
    distances[rows[near], place[near]] = values[near]
    indices[rows[near], place[near]] = columns[near]
    return as_neighbors(function, (name, name), distances, indices)


def _as_indices(function: str, name: str, indices: Any) -> Tensor:
    """Return integers of any kind as a tensor."""
    if isinstance(indices, Tensor):
        good, kind = not (indices.is_floating_point() or indices.is_complex()), indices.dtype
        found = indices.detach()
    else:
        array = as_array(function, name, indices)
        good, kind = array.dtype.kind in "iu", array.dtype
        found = torch.from_numpy(array.astype(np.int64)) if good else torch.empty(0)
    if not good or kind == torch.bool or found.layout != torch.strided:
        remedy = "Pass distances first, then indices."
        fail(function, name, "an array of integers", f"one of dtype {kind}", remedy)
    return found.long()


def _check_entries(
    function: str, names: tuple[str, str], lengths: Tensor, places: Tensor, missing: Tensor
) -> None:
    """Raise if an index or a distance is none, or a neighbor is twice in a row."""
    n_points = len(places)
    out = (places < MISSING) | (places >= n_points)
    if bool(out.any()):
        must = f"numbers of points, 0 to {n_points - 1}, or -1 where there is none"
        remedy = "Search among the same points, in the same order."
        fail(function, names[1], must, int(places[out][0]), remedy)
    wrong = ~missing & ~(lengths >= 0)
    if bool(wrong.any()):
        got = f"{float(lengths[wrong][0]):g} in row {int(wrong.any(dim=1).nonzero()[0])}"
        remedy = f"Check how `{names[0]}` were computed; clip what is negative by rounding only."
        fail(function, names[0], "non-negative", got, remedy)
    ordered = torch.where(missing, MISSING, places).sort(dim=1).values
    twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != MISSING)
    if bool(twice.any()):
        row = int(twice.any(dim=1).nonzero()[0])
        got = f"{int(ordered[:, 1:][twice][0])} twice in row {row}"
        remedy = "Give each neighbor once, and -1 where there are fewer."
        fail(function, names[1], "different within a row", got, remedy)
