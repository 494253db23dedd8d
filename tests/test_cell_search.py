import pytest
import torch
from torch import Tensor

from diffresnet._cell_search import can_search_cells, search_cells
from diffresnet._exact_search import search_sets


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


@pytest.mark.parametrize("scale", [0.0, 1e-30, 1e15])
def test_crowds_and_sizes(scale: float) -> None:
    points = clusters(5000, 3) * scale
    points[:3000] = points[0]  # duplicates
    found = search_cells(points, 6)
    assert bool(found.distances.isfinite().all())
    assert bool((found.distances[:3000] == 0).all())
    assert bool((found.indices[:3000] < 3000).all()) or scale == 0
    assert bool((found.indices.sort(dim=1).values.diff(dim=1) > 0).all())


def test_few_points_gain_nothing() -> None:
    assert not can_search_cells(900, 5)
    assert can_search_cells(5000, 11)
    assert not can_search_cells(5000, 500)
