import pytest
import torch
from torch import Tensor

from diffresnet._support.threads import limited_threads
from diffresnet.graph.cell_search import (
    CELLS,
    CROWDED,
    FIRST,
    _Cells,  # pyright: ignore[reportPrivateUsage]
    can_search_cells,
    search_cells,
)
from diffresnet.graph.exact_search import search_sets


def clusters(n_points: int, n_features: int, dtype: torch.dtype = torch.float32) -> Tensor:
    generator = torch.Generator().manual_seed(0)
    middles = 3 * torch.randn(20, n_features, generator=generator)
    which = torch.randint(20, (n_points,), generator=generator)
    return (middles[which] + torch.randn(n_points, n_features, generator=generator)).to(dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_finds_most_neighbors_at_their_distances(dtype: torch.dtype) -> None:
    points = clusters(6000, 10, dtype)
    found = search_cells(points, 11)
    exact = search_sets(points.unsqueeze(0), 11)
    common = (found.indices.unsqueeze(2) == exact.indices[0].unsqueeze(1)).any(dim=2)
    assert float(common.double().mean()) > 0.97
    assert found.distances.dtype == dtype
    distances = (points.unsqueeze(1) - points[found.indices]).double().norm(dim=2)
    torch.testing.assert_close(found.distances.double(), distances, rtol=1e-5, atol=1e-6)


def test_every_point_is_its_own_first_neighbor_and_none_is_named_twice() -> None:
    points = clusters(5000, 4)
    found = search_cells(points, 7)
    assert torch.equal(found.indices[:, 0], torch.arange(5000))
    assert bool((found.distances[:, 0] == 0).all())
    assert bool((found.distances.diff(dim=1) >= 0).all())
    assert bool((found.indices.sort(dim=1).values.diff(dim=1) > 0).all())


def test_same_result_every_time() -> None:
    points = clusters(5000, 4)
    assert torch.equal(search_cells(points, 5).indices, search_cells(points, 5).indices)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e15])
def test_distances_of_every_size(scale: float, dtype: torch.dtype) -> None:
    points = clusters(3000, 6, dtype)
    usual, scaled = (search_cells(given, 6) for given in (points, points * scale))
    torch.testing.assert_close(
        scaled.distances.double() / scale, usual.distances.double(), rtol=1e-4, atol=1e-6
    )


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("offset", [0.0, 1000.0])
def test_tight_clusters_far_apart(dtype: torch.dtype, offset: float) -> None:
    points = 1e-3 * clusters(5000, 10).to(dtype)
    points[::2, 0] += 10
    found = search_cells(points + offset, 6)
    exact = search_sets((points + offset).unsqueeze(0), 6)
    common = (found.indices.unsqueeze(2) == exact.indices[0].unsqueeze(1)).any(dim=2)
    assert float(common.double().mean()) > 0.9


def test_a_crowd_of_duplicates() -> None:
    points = clusters(5000, 3)
    points[:3000] = points[0]
    found = search_cells(points, 6)
    assert bool((found.distances[:3000] == 0).all())
    assert bool((found.indices[:3000] < 3000).all())
    assert bool((found.indices.sort(dim=1).values.diff(dim=1) > 0).all())
    all_equal = search_cells(torch.ones(5000, 3), 6)
    assert bool((all_equal.distances == 0).all())


def test_no_point_is_compared_with_a_whole_crowd() -> None:
    points = clusters(5000, 3)
    points[:4000] = points[0]
    cells = _Cells(points, CELLS * 70)
    largest = int(cells.sizes.argmax())
    assert len(cells.members(largest)) >= 4000
    assert cells.most_of_one == CROWDED * 5000 // (CELLS * 70)
    assert len(cells.candidates(largest, 10)[0]) == FIRST * cells.most_of_one


def test_enough_candidates_whatever_the_cells() -> None:
    cells = _Cells(clusters(3000, 3), 1000)
    for one in range(0, cells.n_cells, 50):
        candidates, n_first = cells.candidates(one, 500)
        assert len(candidates) == len(candidates.unique()) >= 500
        assert n_first > FIRST
    assert len(cells.candidates(0, 2990)[0]) >= 2990


@pytest.mark.parametrize("n_neighbors", [1, 2, 200])
def test_few_and_many_neighbors(n_neighbors: int) -> None:
    points = clusters(3000, 5)
    found = search_cells(points, n_neighbors)
    exact = search_sets(points.unsqueeze(0), n_neighbors)
    common = (found.indices.unsqueeze(2) == exact.indices[0].unsqueeze(1)).any(dim=2)
    assert float(common.double().mean()) > 0.95
    assert bool((found.indices.sort(dim=1).values.diff(dim=1) > 0).all())


def test_threads_change_nothing() -> None:
    points = clusters(5000, 8)
    with limited_threads(1):
        one = search_cells(points, 6)
    with limited_threads(3):
        three = search_cells(points, 6)
    assert torch.equal(one.indices, three.indices)
    assert torch.equal(one.distances, three.distances)


def test_few_points_gain_nothing() -> None:
    assert not can_search_cells(16_000, 5)
    assert can_search_cells(17_000, 11)
    assert not can_search_cells(17_000, 500)
