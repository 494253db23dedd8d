import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

import diffresnet.graph.neighbors
from diffresnet import kth_distances, nearest_neighbors
from diffresnet._support.threads import limited_threads
from diffresnet._support.types import Search
from diffresnet.graph.exact_search import Neighbors
from tests import reference


def random_points(n_points: int, n_features: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(n_points, n_features, generator=generator, dtype=torch.float64)


def assert_like_reference(points: Tensor, n_neighbors: int) -> None:
    found = nearest_neighbors(points, n_neighbors)
    expected = reference.nearest_neighbors(points.double().tolist(), n_neighbors)
    assert found.indices.tolist() == [[j for _, j in row] for row in expected]
    distances = torch.tensor([[d for d, _ in row] for row in expected], dtype=torch.float64)
    rtol = 1e-6 if points.dtype == torch.float32 else 1e-9
    torch.testing.assert_close(found.distances.double(), distances, rtol=rtol, atol=0)
    assert found.distances.dtype == points.dtype


@pytest.mark.parametrize("n_features", [1, 3, 40])  # by subtraction and by product
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("n_neighbors", [1, 2, 7, 50])
def test_equals_loops(n_features: int, dtype: torch.dtype, n_neighbors: int) -> None:
    assert_like_reference(random_points(50, n_features).to(dtype), n_neighbors)


@given(
    seed=st.integers(0, 1000),
    n_points=st.integers(1, 30),
    n_features=st.sampled_from([1, 2, 20]),
    data=st.data(),
)
def test_ties_go_to_the_point_itself_then_to_the_lower_index(
    seed: int, n_points: int, n_features: int, data: st.DataObject
) -> None:
    generator = torch.Generator().manual_seed(seed)
    points = torch.randint(0, 2, (n_points, n_features), generator=generator).double()
    assert_like_reference(points, data.draw(st.integers(1, n_points)))


@pytest.mark.parametrize("batch_size", [1, 2**19])
@pytest.mark.parametrize("n_features", [2, 20])
def test_a_batch_equals_its_sets(
    n_features: int, batch_size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diffresnet.graph.neighbors, "BATCH_SIZE", batch_size)
    sets = torch.stack([random_points(12, n_features, seed) for seed in range(5)])
    sets[2, 5:] = sets[2, 4]  # a crowd in one of them
    batch = nearest_neighbors(sets, 4)
    for which, points in enumerate(sets):
        alone = nearest_neighbors(points, 4)
        assert torch.equal(batch.indices[which], alone.indices)
        torch.testing.assert_close(batch.distances[which], alone.distances)


def test_numpy_and_integers() -> None:
    grid = np.array([[0, 0], [3, 4], [6, 8]])
    found = nearest_neighbors(grid, 3)
    assert found.distances.tolist() == [[0, 5, 10], [0, 5, 5], [0, 5, 10]]
    assert found.distances.dtype == torch.float64
    read_only = grid.astype(np.float32)
    read_only.flags.writeable = False
    assert nearest_neighbors(read_only[::-1], 1).indices.tolist() == [[0], [1], [2]]


def test_kth_distances() -> None:
    points = torch.tensor([[0.0], [1.0], [3.0]])
    assert kth_distances(points, 1).tolist() == [0, 0, 0]
    assert kth_distances(points, 2).tolist() == [1, 1, 2]
    assert kth_distances(points.expand(4, 3, 1), 3).shape == (4, 3)


@pytest.mark.parametrize(
    ("points", "n_neighbors", "message"),
    [
        (
            torch.zeros(3),
            1,
            "nearest_neighbors: `points` must be of shape (N, d) or (T, N, d), got shape (3,). "
            "For one feature a point use `points.reshape(-1, 1)`.",
        ),
        (
            torch.zeros(0, 2),
            1,
            "nearest_neighbors: `points` must be non-empty, got shape (0, 2). "
            "Pass at least one point.",
        ),
        (
            torch.tensor([[0.0], [torch.nan], [torch.inf]]),
            1,
            "nearest_neighbors: `points` must be finite, got NaN or infinity in 2 row(s): 1, 2. "
            "Remove these rows or fill in the missing values.",
        ),
        (
            torch.full((1, 7, 1), torch.nan),
            1,
            "nearest_neighbors: `points` must be finite, got NaN or infinity in 7 row(s): "
            "(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), .... "
            "Remove these rows or fill in the missing values.",
        ),
        (
            torch.full((2, 1), 1e30),
            1,
            "nearest_neighbors: `points` must be at most 9.2e+18 in size, so that squared "
            "distances stay finite, got 1e+30. Rescale the features.",
        ),
        (
            torch.zeros(3, 2),
            4,
            "nearest_neighbors: `n_neighbors` must be between 1 and the number of points (3), "
            "got 4. Lower `n_neighbors`.",
        ),
        (
            torch.zeros(3, 2),
            0,
            "nearest_neighbors: `n_neighbors` must be between 1 and the number of points (3), "
            "got 0. Raise `n_neighbors`.",
        ),
    ],
)
def test_bad_input(points: Tensor, n_neighbors: int, message: str) -> None:
    with pytest.raises(ValueError, match="nearest_neighbors") as error:
        nearest_neighbors(points, n_neighbors)
    assert str(error.value) == message


def test_approximate_search() -> None:
    points = random_points(17_000, 6)
    exact = nearest_neighbors(points, 5)
    found = nearest_neighbors(points, 5, search="approximate")
    same = (found.distances - exact.distances).abs() < 1e-9
    assert 0.9 < float(same.double().mean()) < 1
    few = points[:100]
    assert torch.equal(
        nearest_neighbors(few, 5, search="approximate").indices, nearest_neighbors(few, 5).indices
    )


def test_approximate_search_is_for_one_set() -> None:
    with pytest.raises(ValueError, match=r"`points` must be one set, \(N, d\), got shape"):
        nearest_neighbors(random_points(20, 3).view(2, 10, 3), 5, search="approximate")
    with pytest.raises(ValueError, match=r"nearest_neighbors: `search` must be"):
        nearest_neighbors(random_points(20, 3), 5, search="rough")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("n_features", [3, 20])
@pytest.mark.parametrize("search", ["exact", "approximate"])
def test_threads_find_the_same_to_the_last_bit(n_features: int, search: Search) -> None:
    points = random_points(17_000 if search == "approximate" else 4_000, n_features)
    found: list[Neighbors] = []
    for n_jobs in (1, 3):
        with limited_threads(n_jobs):
            found.append(nearest_neighbors(points, 5, search=search))
    assert torch.equal(found[0].indices, found[1].indices)
    assert torch.equal(found[0].distances, found[1].distances)
