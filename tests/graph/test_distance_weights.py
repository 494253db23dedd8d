from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from diffresnet import build_weights, weights_from_distances
from diffresnet._support.types import Normalization
from tests.graph.test_weights import NORMALIZATIONS, random_points


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
@pytest.mark.parametrize("bandwidth", [None, 1.5])
def test_equals_weights_of_points(normalization: Normalization, bandwidth: float | None) -> None:
    points = random_points(3, 20, 4)
    expected = build_weights(points, 6, bandwidth=bandwidth, normalization=normalization)
    distances = torch.cdist(points, points)
    found = weights_from_distances(distances, 6, bandwidth=bandwidth, normalization=normalization)
    torch.testing.assert_close(found, expected)
    one = weights_from_distances(distances[1], 6, bandwidth=bandwidth, normalization=normalization)
    torch.testing.assert_close(one, expected[1])


@given(
    cells=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=12),
    n_top=st.integers(1, 5),
    rank=st.integers(1, 5),
)
def test_equal_distances_and_duplicates(
    cells: list[tuple[int, int]], n_top: int, rank: int
) -> None:
    points = torch.tensor(cells, dtype=torch.float64).unsqueeze(0)
    n_top, rank = min(n_top, len(cells)), min(rank, len(cells))
    expected = build_weights(points, n_top, bandwidth_rank=rank)
    distances = torch.cdist(points, points, compute_mode="donot_use_mm_for_euclid_dist")
    found = weights_from_distances(distances, n_top, bandwidth_rank=rank)
    torch.testing.assert_close(found, expected)


def test_given_distances_are_not_changed() -> None:
    distances = random_points(5, 5).abs()
    before = distances.clone()
    weights_from_distances(distances, 3)
    assert torch.equal(distances, before)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: weights_from_distances(torch.zeros(2, 3), 1),
            r"`distances` must be of shape \(N, N\) or \(T, N, N\), not empty, got shape \(2, 3\)",
        ),
        (
            lambda: weights_from_distances(-torch.ones(2, 2), 1),
            "`distances` must be finite and non-negative, got a negative, infinite or NaN number",
        ),
        (
            lambda: weights_from_distances(torch.full((2, 2), torch.nan), 1),
            "`distances` must be finite and non-negative",
        ),
        (
            lambda: weights_from_distances(torch.ones(2, 2), 3),
            r"weights_from_distances: `n_top` must be between 1 and the number of points \(2\)",
        ),
        (
            lambda: weights_from_distances(torch.ones(2, 2), 2, bandwidth=1.0, bandwidth_rank=1),
            "`bandwidth_rank` must be None beside a `bandwidth`",
        ),
    ],
)
def test_bad_input(call: Callable[[], Tensor], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
