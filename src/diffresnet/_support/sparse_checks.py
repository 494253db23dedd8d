"""Sparse matrices of strangers, checked before anything is done with them.

SciPy and torch trust the indices of a matrix: with wrong ones, a conversion writes outside of its
memory. Whatever comes from a file or a user passes here first.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from scipy import sparse
from torch import Tensor

from diffresnet._support.checks import refuse
from diffresnet._support.words import reason_of

Indices = npt.NDArray[Any]
WRONG = (ValueError, TypeError, IndexError, AttributeError, ArithmeticError, RuntimeError)
"""What SciPy and torch raise about parts that do not fit each other."""


def check_sparse(what: str, matrix: Any) -> None:
    """Refuse a sparse matrix of SciPy or torch whose parts do not fit; anything else passes.

    The matrix itself is not changed.

    Args:
        what: the function and argument, or the option, that it comes from, for messages.
        matrix: in any format.

    Raises:
        ValueError: if an index is outside of the matrix, or its parts are of different lengths.
    """
    try:
        if isinstance(matrix, Tensor):
            _check_tensor(matrix)
        elif sparse.issparse(matrix):
            _check_scipy(matrix)
    except WRONG as error:
        must, remedy = "a sparse matrix with indices inside of it", "Make it again, or pass a copy."
        refuse(what, must, f"another ({reason_of(error)})", remedy)


def check_parts(what: str, values: npt.NDArray[Any], *indices: Indices) -> None:
    """Refuse parts of a sparse matrix that SciPy would have to turn into numbers or integers.

    Args:
        what: as for `check_sparse`.
        values: of the entries.
        indices: where they are.

    Raises:
        ValueError: if values are no real numbers, or indices no integers.
    """
    if values.dtype.kind not in "biuf":
        refuse(what, "numbers as weights", values.dtype, "Write them as numbers.")
    wrong = [str(one.dtype) for one in indices if one.size and one.dtype.kind not in "iu"]
    if wrong:
        refuse(what, "a sparse matrix with integers as indices", wrong[0], "Write it again.")


def _check_scipy(matrix: Any) -> None:
    if matrix.format in ("csr", "csc", "bsr"):
        if np.ndim(matrix.data) != (3 if matrix.format == "bsr" else 1):
            raise ValueError(f"entries of shape {np.shape(matrix.data)}")
        block = matrix.blocksize if matrix.format == "bsr" else (1, 1)
        sizes = [
            size // width for size, width in zip(matrix.shape, block[-matrix.ndim :], strict=True)
        ]
        rows, columns = [1, *sizes][-2:] if matrix.format != "csc" else sizes[::-1]
        _check_compressed(matrix.indptr, matrix.indices, rows, columns, len(matrix.data))
    elif matrix.format == "coo":
        for places, size in zip(matrix.coords, matrix.shape, strict=True):
            _check_range(places, size, len(matrix.data))
    elif matrix.format == "dia":
        n_rows, n_columns = matrix.shape
        shifted = np.asarray(matrix.offsets, dtype=np.int64).clip(-n_rows, n_columns) + n_rows - 1
        _check_range(shifted, n_rows + n_columns - 1, len(matrix.data))
    elif matrix.format == "lil":
        for columns, values in zip(matrix.rows, matrix.data, strict=True):
            _check_range(np.array(columns, dtype=np.int64), matrix.shape[1], len(values))
        if len(matrix.rows) != matrix.shape[0]:
            raise ValueError("another number of rows")


def _check_tensor(matrix: Tensor) -> None:
    if matrix.layout == torch.strided:
        return
    if matrix.layout == torch.sparse_coo:
        for places, size in zip(matrix._indices(), matrix.shape, strict=False):
            _check_range(_to_numpy(places), size, matrix._nnz())
        return
    if matrix.ndim != 2:
        raise ValueError("a batch of matrices")
    values = matrix.values()
    block = values.shape[1:] if values.ndim == 3 else (1, 1)
    rows, columns = matrix.shape[0] // block[0], matrix.shape[1] // block[1]
    if matrix.layout in (torch.sparse_csr, torch.sparse_bsr):
        starts, places, sizes = matrix.crow_indices(), matrix.col_indices(), (rows, columns)
    else:
        starts, places, sizes = matrix.ccol_indices(), matrix.row_indices(), (columns, rows)
    _check_compressed(_to_numpy(starts), _to_numpy(places), *sizes, len(values))


def _check_compressed(
    starts: Indices, places: Indices, n_rows: int, n_columns: int, n_values: int
) -> None:
    """Raise unless starts divide the places; SciPy's own check lets some others pass."""
    if starts.shape != (n_rows + 1,) or starts.dtype.kind not in "iu":
        raise ValueError(f"starts of rows of shape {starts.shape}")
    if starts[0] != 0 or starts[-1] > n_values or (starts[1:] < starts[:-1]).any():
        raise ValueError("starts of rows that decrease, or go beyond its entries")
    _check_range(places, n_columns, n_values)


def _check_range(places: Indices, size: int, n_values: int) -> None:
    if places.shape != (n_values,) or places.dtype.kind not in "iu":
        raise ValueError(f"indices of shape {places.shape} for {n_values} entries")
    if n_values and not 0 <= places.min() <= places.max() < size:
        raise ValueError(f"indices outside of 0 to {size - 1}")


def _to_numpy(indices: Tensor) -> Indices:
    return indices.detach().cpu().numpy()
