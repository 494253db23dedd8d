"""Square matrices in the two layouts of this package, behind one set of functions.

A batch of small matrices is a dense tensor (T, N, N); one large matrix is a torch CSR tensor
(N, N); one dense matrix (N, N) is allowed too. Everything above this module is written once, in
terms of the functions here.
"""

import math
import warnings
from typing import cast

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from diffresnet._support.checks import as_tensor, fail
from diffresnet._support.sparse_checks import check_sparse
from diffresnet._support.types import Matrix, SparseMatrix

with warnings.catch_warnings():  # on the first CSR tensor of a process: CSR is in beta
    warnings.simplefilter("ignore", UserWarning)
    torch.sparse_csr_tensor([0, 0], [], [], size=(1, 1), check_invariants=False)


def is_csr(matrix: Tensor) -> bool:
    """Tell whether `matrix` is a CSR tensor rather than a dense one."""
    return matrix.layout == torch.sparse_csr


def entries(matrix: Tensor) -> Tensor:
    """Return every stored number: all of them when dense, the non-zero ones when CSR."""
    return matrix.values() if is_csr(matrix) else matrix


def csr(
    row_starts: Tensor, columns: Tensor, values: Tensor, n_columns: int | None = None
) -> Tensor:
    """Return the CSR tensor of these parts, square unless `n_columns` says otherwise.

    Indices are 32-bit where they fit: the sparse product is faster with them.
    """
    n_points = row_starts.numel() - 1
    width = n_points if n_columns is None else n_columns
    index = torch.int32 if max(values.numel(), n_points, width) < 2**31 else torch.int64
    return torch.sparse_csr_tensor(
        row_starts.to(index),
        columns.to(index),
        values,
        size=(n_points, width),
        check_invariants=False,
    )


def csr_from_entries(rows: Tensor, columns: Tensor, values: Tensor, n_points: int) -> Tensor:
    """Return the CSR tensor of these entries; entries of the same place are added up."""
    shape = (n_points, n_points)
    if values.device.type == "cpu" and not values.requires_grad:  # SciPy does not sort them all
        places = rows.numpy(), columns.numpy()
        return _from_array(sparse.coo_array((values.numpy(), places), shape=shape).tocsr())
    where = torch.stack([rows, columns]).long()
    return to_csr(torch.sparse_coo_tensor(where, values, shape, check_invariants=False))


def to_csr(matrix: Tensor) -> Tensor:
    """Return an (N, N) tensor of any layout as CSR."""
    rows = matrix if is_csr(matrix) else matrix.to_sparse_coo().to_sparse_csr()
    return csr(*csr_parts(rows))


def csr_parts(matrix: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return row starts, columns and values of a CSR tensor: what `csr` takes."""
    return matrix.crow_indices(), matrix.col_indices(), matrix.values()


def rows_of(matrix: Tensor) -> Tensor:
    """Return the row of each stored entry of a CSR tensor."""
    starts = matrix.crow_indices().long()
    rows = torch.arange(matrix.shape[0], device=matrix.device)
    return rows.repeat_interleave(starts.diff())


def with_values(matrix: Tensor, values: Tensor) -> Tensor:
    """Return `matrix` with other `entries`, at the same places."""
    return csr(matrix.crow_indices(), matrix.col_indices(), values) if is_csr(matrix) else values


def row_sums(matrix: Tensor) -> Tensor:
    """Return W 1, of shape (N,) or (T, N)."""
    if not is_csr(matrix):
        return matrix.sum(dim=-1)
    sums = matrix.values().new_zeros(matrix.shape[0])
    return sums.index_add(0, rows_of(matrix), matrix.values())


def diagonal(matrix: Tensor) -> Tensor:
    """Return the diagonal, of shape (N,) or (T, N)."""
    if not is_csr(matrix):
        return matrix.diagonal(dim1=-2, dim2=-1)
    own = rows_of(matrix) == matrix.col_indices()
    return row_sums(with_values(matrix, torch.where(own, matrix.values(), 0)))


def scale(matrix: Tensor, left: Tensor, right: Tensor | None = None) -> Tensor:
    """Return diag(left) W diag(right)."""
    if is_csr(matrix):
        values = matrix.values() * left[rows_of(matrix)]
        if right is not None:
            values = values * right[matrix.col_indices()]
        return with_values(matrix, values)
    scaled = matrix * left.unsqueeze(-1)
    return scaled if right is None else scaled * right.unsqueeze(-2)


def transpose(matrix: Tensor) -> Tensor:
    """Return the transpose, in the layout of `matrix`."""
    if not is_csr(matrix):
        return matrix.mT
    return _from_array(to_scipy(matrix).T.tocsr()) if _has_scipy(matrix) else to_csr(matrix.mT)


def symmetrize(matrix: Tensor) -> Tensor:
    """Return (W + W') / 2, symmetric to the last bit."""
    return _add_transpose(with_values(matrix, entries(matrix) / 2), 1)


def _add_transpose(matrix: Tensor, factor: float) -> Tensor:
    """Return W + factor W'."""
    if not is_csr(matrix):
        return matrix + factor * matrix.mT
    if _has_scipy(matrix):
        array = to_scipy(matrix)
        return _from_array(array + factor * array.T.tocsr())
    rows, columns, values = rows_of(matrix), matrix.col_indices(), matrix.values()
    places = torch.cat([rows, columns]), torch.cat([columns, rows])
    return csr_from_entries(*places, torch.cat([values, factor * values]), matrix.shape[0])


def add_diagonal(matrix: Tensor, diagonal: Tensor) -> Tensor:
    """Return W + diag(diagonal), with every diagonal entry stored."""
    if not is_csr(matrix):
        return matrix + torch.diag_embed(diagonal)
    rows, columns = rows_of(matrix), matrix.col_indices()
    here = rows == columns
    if int(here.sum()) == matrix.shape[0]:
        values = matrix.values().index_add(0, here.nonzero().squeeze(-1), diagonal)
        return with_values(matrix, values)
    every = torch.arange(matrix.shape[0], device=matrix.device)
    rows, columns = torch.cat([rows, every]), torch.cat([columns.long(), every])
    values = torch.cat([matrix.values(), diagonal])
    return csr_from_entries(rows, columns, values, matrix.shape[0])


def set_diagonal(matrix: Tensor, value: float) -> Tensor:
    """Return W with every diagonal entry replaced by `value`."""
    if not is_csr(matrix):
        own = torch.eye(matrix.shape[-1], dtype=torch.bool, device=matrix.device)
        return torch.where(own, value, matrix)
    others = torch.where(rows_of(matrix) == matrix.col_indices(), 0, matrix.values())
    return affine(with_values(matrix, others), 1, value)


def with_moderate_size(matrix: Tensor) -> Tensor:
    """Return W times the power of two that brings its largest entry between 1 and 2."""
    values = entries(matrix)
    if values.numel() == 0:
        return matrix
    exponent = math.frexp(float(values.detach().max()))[1] - 1
    half = exponent // 2  # the power itself may be out of range
    return with_values(matrix, values * 2.0**-half * 2.0 ** (half - exponent))


def affine(matrix: Tensor, factor: float, shift: float | Tensor) -> Tensor:
    """Return factor W + shift I; `shift` may differ from row to row, as (N,) or (T, N)."""
    scaled = with_values(matrix, factor * entries(matrix))
    return add_diagonal(scaled, shift * entries(matrix).new_ones(matrix.shape[:-1]))


def add_product(base: Tensor, matrix: Tensor, x: Tensor, beta: float) -> Tensor:
    """Return beta base + W x, in the memory of `base` unless autograd records the product.

    Asking for new memory costs as much as a sparse product; `base` must be dense and contiguous.
    """
    recorded = torch.is_grad_enabled() and (matrix.requires_grad or x.requires_grad)
    if matrix.ndim == 3:
        add = torch.baddbmm if recorded else Tensor.baddbmm_
    else:
        add = torch.addmm if recorded else Tensor.addmm_
    return add(base, matrix, x, beta=beta)


def is_symmetric(matrix: Tensor) -> bool:
    """Tell whether W equals its transpose up to rounding."""
    given, limit = matrix.detach(), 16 * torch.finfo(matrix.dtype).eps
    if is_csr(given) and _has_scipy(given):
        array = to_scipy(given)
        transposed = array.T.tocsr()
        excess = abs(array - transposed) - limit * (array + transposed)
        return bool((excess.data <= 0).all())
    difference, size = (entries(_add_transpose(given, sign)) for sign in (-1, 1))
    return bool((difference.abs() <= limit * size).all())


def _has_scipy(matrix: Tensor) -> bool:
    """Tell whether SciPy can work on a CSR tensor in its memory."""
    return matrix.device.type == "cpu" and not matrix.requires_grad


def _from_array(array: sparse.csr_array) -> Tensor:
    """Return a SciPy array as a CSR tensor; the two share memory."""
    parts = (torch.from_numpy(part) for part in (array.indptr, array.indices, array.data))
    return csr(*parts, n_columns=array.shape[1])


def to_scipy(matrix: Tensor) -> sparse.csr_array:
    """Return a CSR tensor as a SciPy array; on a CPU the two share memory."""
    starts, columns, values = (part.numpy() for part in csr_parts(matrix.detach().cpu()))
    shape = (matrix.shape[0], matrix.shape[1])
    return sparse.csr_array((values, columns, starts), shape=shape)


def from_scipy(function: str, argument: str, matrix: SparseMatrix) -> Tensor:
    """Return a SciPy matrix of any format as a CSR tensor, in memory of its own."""
    check_sparse(f"{function}: `{argument}`", matrix)
    array = sparse.csr_array(cast("sparse.csr_array", matrix), copy=True)
    array.sum_duplicates()
    starts, columns = torch.from_numpy(array.indptr), torch.from_numpy(array.indices)
    values = as_tensor(function, argument, array.data)
    return csr(starts, columns, values, n_columns=array.shape[1])


def as_square(function: str, argument: str, matrix: Matrix) -> Tensor:
    """Return a non-negative finite matrix as a dense (N, N) or (T, N, N), or as a CSR tensor."""
    remedy = "Pass one row and one column a point."
    if isinstance(matrix, sparse.sparray | sparse.spmatrix):
        shape = tuple(cast("sparse.csr_array", matrix).shape)
        if len(shape) != 2 or shape[0] != shape[1]:
            fail(function, argument, "square", f"shape {shape}", remedy)
        tensor = from_scipy(function, argument, matrix)
    elif isinstance(matrix, Tensor):
        tensor = as_tensor(function, argument, matrix)
    else:  # a copy, so that nobody changes it behind our back
        tensor = as_tensor(function, argument, np.array(matrix))
    shape = tuple(tensor.shape)
    allowed = (2, 3) if tensor.layout == torch.strided else (2,)
    if tensor.ndim not in allowed or shape[-1] != shape[-2]:
        must = "square, of shape (N, N) or, dense, (T, N, N)"
        fail(function, argument, must, f"shape {shape}", remedy)
    if 0 in shape:
        fail(function, argument, "non-empty", f"shape {shape}", "Pass at least one point.")
    if tensor.layout != torch.strided:
        check_sparse(f"{function}: `{argument}`", tensor)
        tensor = to_csr(tensor.detach())
    values = entries(tensor).detach()
    if not torch.isfinite(values).all():
        got = f"{int((~torch.isfinite(values)).sum())} NaN or infinite entries"
        fail(function, argument, "finite", got, "Replace these entries by 0.")
    if (values < 0).any():
        remedy = "Clip them to 0, or pass similarities rather than distances."
        fail(function, argument, "non-negative", f"a least entry of {values.min():g}", remedy)
    if not torch.isfinite(row_sums(tensor.detach())).all():
        largest = f"entries of up to {values.max():g}"
        fail(function, argument, "small enough for finite row sums", largest, "Rescale it.")
    return tensor
