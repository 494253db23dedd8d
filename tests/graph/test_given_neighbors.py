from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.neighbors import NearestNeighbors, kneighbors_graph
from torch import Tensor

from diffresnet import Neighbors, build_weights, nearest_neighbors, weights_from_neighbors
from diffresnet._support.types import Normalization
from tests.graph.test_weights import NORMALIZATIONS, random_points

POINTS = random_points(40, 3)


def same(found: Tensor, expected: Tensor) -> None:
    assert torch.equal(found.to_dense(), expected.to_dense())


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
@pytest.mark.parametrize("bandwidth", [None, 1.5])
def test_equals_weights_of_points(normalization: Normalization, bandwidth: float | None) -> None:
    near = nearest_neighbors(POINTS, 9)
    expected = build_weights(POINTS, 6, bandwidth=bandwidth, normalization=normalization)
    found = weights_from_neighbors(*near, n_top=6, bandwidth=bandwidth, normalization=normalization)
    same(found, expected)
    arrays = near.distances.numpy(), near.indices.numpy().astype(np.int32)
    again = weights_from_neighbors(
        *arrays, n_top=6, bandwidth=bandwidth, normalization=normalization
    )
    same(again, expected)


def test_the_bandwidth_as_for_points() -> None:
    near = nearest_neighbors(POINTS, 9)
    expected = build_weights(POINTS, 6, bandwidth_rank=9, bandwidth_scale=0.5)
    same(weights_from_neighbors(*near, n_top=6, bandwidth_rank=9, bandwidth_scale=0.5), expected)
    same(weights_from_neighbors(*near), build_weights(POINTS, 9))


@given(
    cells=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=12),
    n_top=st.integers(1, 5),
    with_itself=st.booleans(),
    seed=st.integers(0, 9),
)
def test_any_order_with_and_without_the_point_itself(
    cells: list[tuple[int, int]], n_top: int, with_itself: bool, seed: int
) -> None:
    points = torch.tensor(cells, dtype=torch.float64)
    n_top = min(n_top, len(cells))
    near = nearest_neighbors(points, len(cells))
    distances, indices = near if with_itself else (part[:, 1:] for part in near)
    order = torch.from_numpy(np.random.default_rng(seed).permutation(distances.shape[1]))
    found = weights_from_neighbors(distances[:, order], indices[:, order], n_top=n_top)
    same(found, build_weights(points, n_top))


def test_the_distance_of_a_point_to_itself_is_not_looked_at() -> None:
    near = nearest_neighbors(POINTS, 5)
    near.distances[:, 0] = torch.tensor([torch.nan, -1.0, torch.inf, 7.0]).repeat(10)
    same(weights_from_neighbors(*near), build_weights(POINTS, 5))


def test_missing_neighbors() -> None:
    distances = torch.tensor([[0.0, 1.0, 3.0], [0.0, 2.0, torch.inf], [torch.nan, 0.0, torch.inf]])
    indices = torch.tensor([[0, 1, 2], [1, 2, 0], [-1, 2, -1]])
    found = weights_from_neighbors(distances, indices, bandwidth_rank=3, normalization="row")
    ratios = np.exp([0, -1 / 9, -1, 0, -1])  # the second has the width 2: there is no farther one
    expected = np.zeros((3, 3))
    expected[0] = ratios[:3] / ratios[:3].sum()
    expected[1, 1:] = ratios[3:] / ratios[3:].sum()
    expected[2, 2] = 1
    np.testing.assert_allclose(found.to_dense().numpy(), expected, rtol=1e-6)


def test_nobody_has_a_neighbor() -> None:
    found = weights_from_neighbors(np.zeros((3, 2)), np.full((3, 2), -1))
    assert torch.equal(found.to_dense(), torch.eye(3, dtype=torch.float64))


def test_what_is_given_is_not_changed() -> None:
    near = nearest_neighbors(POINTS, 5)
    before = Neighbors(near.distances.clone(), near.indices.clone())
    weights_from_neighbors(*near, n_top=3)
    assert torch.equal(near.distances, before.distances)
    assert torch.equal(near.indices, before.indices)


def test_neighbors_of_scikit_learn() -> None:
    expected = build_weights(POINTS, 6).to_dense()
    search = NearestNeighbors(n_neighbors=5).fit(POINTS.numpy())
    found = weights_from_neighbors(*search.kneighbors())
    torch.testing.assert_close(found.to_dense(), expected)
    for include_self, n_neighbors in ((True, 6), (False, 5)):
        matrix = kneighbors_graph(
            POINTS.numpy(), n_neighbors, mode="distance", include_self=include_self
        )
        torch.testing.assert_close(weights_from_neighbors(matrix).to_dense(), expected)
        rows = sparse.coo_array(matrix)
        torch.testing.assert_close(weights_from_neighbors(rows).to_dense(), expected)


def test_rows_of_a_sparse_matrix_differ_in_length() -> None:
    matrix = sparse.csr_array(
        (np.array([0.0, 2.0, 1.0]), np.array([1, 2, 0]), np.array([0, 2, 3, 3])), shape=(3, 3)
    )
    found = weights_from_neighbors(matrix, bandwidth=1.0, normalization="row").to_dense().numpy()
    first = np.exp([0, 0, -4])  # an entry of 0 is a neighbor
    np.testing.assert_allclose(found[0], first / first.sum())
    np.testing.assert_allclose(found[2], [0, 0, 1])


ZEROS, COLUMN = np.zeros((2, 1)), np.array([[1], [0]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: weights_from_neighbors(np.zeros(3), np.zeros(3, dtype=int)),
            r"`distances` must be of shape \(N, k\), not empty, got shape \(3,\)",
        ),
        (
            lambda: weights_from_neighbors(ZEROS, np.zeros((2, 2), dtype=int)),
            r"`indices` must be of shape \(2, 1\), got shape \(2, 2\). Pass one index for each",
        ),
        (
            lambda: weights_from_neighbors(COLUMN, ZEROS),
            "`indices` must be an array of integers, got one of dtype float64. Pass distances",
        ),
        (
            lambda: weights_from_neighbors(ZEROS),
            "`indices` must be an array of integers, got one of dtype object",
        ),
        (
            lambda: weights_from_neighbors(ZEROS, COLUMN + 1),
            "`indices` must be numbers of points, 0 to 1, or -1 where there is none, got 2. Search",
        ),
        (
            lambda: weights_from_neighbors(ZEROS, -2 * COLUMN),
            "`indices` must be numbers of points, 0 to 1, or -1 where there is none, got -2",
        ),
        (
            lambda: weights_from_neighbors(np.array([[1.0], [-1.0]]), COLUMN),
            "`distances` must be non-negative, got -1 in row 1. Check how `distances` were",
        ),
        (
            lambda: weights_from_neighbors(np.array([[np.nan], [1.0]]), COLUMN),
            "`distances` must be non-negative, got nan in row 0",
        ),
        (
            lambda: weights_from_neighbors(np.zeros((2, 2)), np.array([[0, 1], [0, 0]])),
            "`indices` must be different within a row, got 0 twice in row 1. Give each neighbor",
        ),
        (
            lambda: weights_from_neighbors(ZEROS, COLUMN, n_top=3),
            r"`n_top` must be between 1 and the number of neighbors, the point itself counted \(2",
        ),
        (
            lambda: weights_from_neighbors(ZEROS, COLUMN, bandwidth_scale=0.0),
            "`bandwidth_scale` must be a finite positive number, got 0",
        ),
        (
            lambda: weights_from_neighbors(sparse.eye_array(3), COLUMN),
            "`indices` must be None beside a sparse matrix, got both. Pass the matrix alone",
        ),
        (
            lambda: weights_from_neighbors(sparse.csr_array((2, 3))),
            r"`distances` must be square, got shape \(2, 3\). Pass one row and one column a point",
        ),
    ],
)
def test_wrong_neighbors(call: Callable[[], Tensor], message: str) -> None:
    with pytest.raises(ValueError, match=f"^weights_from_neighbors: {message}"):
        call()
