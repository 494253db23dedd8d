from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from torch import Tensor

from diffresnet._support.types import Matrix
from diffresnet.graph import matrix as mx

UNARY: tuple[Callable[[Tensor], Tensor], ...] = (
    mx.row_sums,
    mx.diagonal,
    mx.transpose,
    mx.symmetrize,
    lambda m: mx.add_diagonal(m, torch.arange(5, dtype=m.dtype)),
    lambda m: mx.affine(m, -2, 3),
    lambda m: mx.set_diagonal(m, 2),
    mx.with_moderate_size,
    lambda m: mx.affine(m, -2, torch.arange(5, dtype=m.dtype)),
    lambda m: mx.scale(m, torch.arange(5, dtype=m.dtype)),
    lambda m: mx.scale(m, torch.arange(5, dtype=m.dtype), torch.arange(5, dtype=m.dtype) + 1),
)


def random_matrix(seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    values = torch.rand(5, 5, generator=generator, dtype=torch.float64)
    return torch.where(torch.rand(5, 5, generator=generator) < 0.5, values, 0)


@pytest.mark.parametrize("function", UNARY)
@given(seed=st.integers(0, 30))
def test_layouts_agree(function: Callable[[Tensor], Tensor], seed: int) -> None:
    dense = random_matrix(seed)
    expected = function(dense)
    torch.testing.assert_close(function(dense.to_sparse_csr()).to_dense(), expected)
    batch = function(dense.expand(3, 5, 5))
    torch.testing.assert_close(batch, expected.expand(3, *expected.shape))


def test_formulas() -> None:
    matrix = torch.tensor([[1.0, 2.0], [0.0, 3.0]])
    assert mx.row_sums(matrix).tolist() == [3, 3]
    assert mx.symmetrize(matrix).tolist() == [[1, 1], [1, 3]]
    assert mx.affine(matrix, 2, -1).tolist() == [[1, 4], [0, 5]]
    left, right = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    assert mx.scale(matrix, left, right).tolist() == [[3, 8], [0, 24]]


def test_symmetry() -> None:
    matrix = random_matrix(0)
    for symmetric in (matrix + matrix.mT, torch.zeros(5, 5, dtype=torch.float64)):
        assert mx.is_symmetric(symmetric)
        assert mx.is_symmetric(symmetric.to_sparse_csr())
    assert not mx.is_symmetric(matrix)
    assert not mx.is_symmetric(matrix.to_sparse_csr())


@pytest.mark.parametrize(
    "matrix",
    [
        np.eye(3),
        np.eye(3, dtype=np.int64),
        sparse.coo_array(([0.5, 0.5, 1.0, 1.0], ([0, 0, 1, 2], [0, 0, 1, 2])), shape=(3, 3)),
        sparse.csc_matrix(np.eye(3)),
        torch.eye(3, dtype=torch.float64).to_sparse_coo(),
        torch.eye(3, dtype=torch.float64).to_sparse_csr(),
        torch.eye(3, dtype=torch.bool),
    ],
)
def test_every_kind_of_matrix_is_read(matrix: Matrix) -> None:
    square = mx.as_square("f", "m", matrix)
    assert torch.equal(square.to_dense(), torch.eye(3, dtype=torch.float64))


def test_moderate_size_is_a_power_of_two_away() -> None:
    for factor in (1e-40, 1e-20, 1.0, 3e38):
        matrix = factor * torch.tensor([[0.0, 0.5], [1.0, 0.25]])
        moderate = mx.with_moderate_size(matrix)
        assert 1 <= moderate.max() < 2
        torch.testing.assert_close(moderate / moderate.max(), matrix / matrix.max())
    assert torch.equal(mx.with_moderate_size(torch.zeros(2, 2)), torch.zeros(2, 2))


@pytest.mark.parametrize("make", [np.array, sparse.csr_array, sparse.coo_array])
def test_later_changes_of_the_input_do_not_reach_us(make: Callable[..., Any]) -> None:
    matrix = make(np.ones((2, 2)))
    square = mx.as_square("f", "m", matrix)
    matrix *= 7
    for memory in (matrix,) if isinstance(matrix, np.ndarray) else (matrix.data,):
        memory[:] = 9
    assert square.to_dense().tolist() == [[1, 1], [1, 1]]


def test_scipy_input_is_not_changed() -> None:
    duplicates = sparse.csr_array((np.ones(2), np.array([0, 0]), np.array([0, 2])), shape=(1, 1))
    assert mx.as_square("f", "m", duplicates).to_dense().tolist() == [[2]]
    assert duplicates.nnz == 2


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (
            torch.ones(2, 3),
            "f: `m` must be square, of shape (N, N) or, dense, (T, N, N), got shape (2, 3). "
            "Pass one row and one column a point.",
        ),
        (
            torch.ones(3),
            "f: `m` must be square, of shape (N, N) or, dense, (T, N, N), got shape (3,). "
            "Pass one row and one column a point.",
        ),
        (
            sparse.csr_array(np.ones((2, 3))),
            "f: `m` must be square, got shape (2, 3). Pass one row and one column a point.",
        ),
        (torch.ones(0, 0), "f: `m` must be non-empty, got shape (0, 0). Pass at least one point."),
        (
            torch.tensor([[torch.nan, 0.0], [torch.inf, 0.0]]),
            "f: `m` must be finite, got 2 NaN or infinite entries. Replace these entries by 0.",
        ),
        (
            sparse.csr_array(np.array([[0.0, -2.0], [1.0, 0.0]])),
            "f: `m` must be non-negative, got a least entry of -2. "
            "Clip them to 0, or pass similarities rather than distances.",
        ),
        (
            torch.full((2, 2), 3e38),
            "f: `m` must be small enough for finite row sums, got entries of up to 3e+38. "
            "Rescale it.",
        ),
    ],
)
def test_bad_input(matrix: Matrix, message: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        mx.as_square("f", "m", matrix)
    assert str(error.value) == message


def test_indices_outside_are_refused_before_a_conversion() -> None:
    matrix = sparse.csc_array(np.eye(3))
    matrix.indptr = np.array([0, 10**7, 2, 3])
    with pytest.raises(ValueError, match="f: `m` must be a sparse matrix with indices inside"):
        mx.as_square("f", "m", matrix)
    parts = torch.tensor([0, 10**7, 2]), torch.tensor([0, 1]), torch.ones(2)
    tensor = torch.sparse_csr_tensor(*parts, size=(2, 2), check_invariants=False)
    with pytest.raises(ValueError, match="f: `m` must be a sparse matrix with indices inside"):
        mx.as_square("f", "m", tensor)
