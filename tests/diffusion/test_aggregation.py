from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from diffresnet.diffusion import aggregation
from diffresnet.diffusion.aggregation import GROUP_SIZE, make_groups, make_levels
from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.graph import matrix as mx
from diffresnet.graph.weights import build_weights


def laplacian_of(n_points: int, *, seed: int = 0) -> sparse.csr_array:
    """Return the Laplacian of random points in the plane."""
    points = torch.randn(n_points, 2, generator=torch.Generator().manual_seed(seed))
    weights = build_weights(points, 7, bandwidth_rank=4, normalization="sinkhorn")
    return mx.to_scipy(DiffusionOperator(weights).laplacian)


def test_groups_are_connected_and_of_moderate_size() -> None:
    laplacian = laplacian_of(900)
    group = make_groups(laplacian)
    sizes = np.bincount(group)
    assert sizes.min() >= 1
    assert len(sizes) == pytest.approx(900 / GROUP_SIZE, rel=0.1)
    assert sizes.max() < 12 * GROUP_SIZE
    rows = np.repeat(np.arange(900), np.diff(laplacian.indptr))
    inside = group[rows] == group[laplacian.indices]
    places = rows[inside], laplacian.indices[inside]
    links = sparse.csr_array((np.ones(int(inside.sum())), places), shape=(900, 900))
    assert connected_components(links, directed=False)[0] == len(sizes)


def test_a_point_joins_its_strongest_link_that_is_in_a_group() -> None:
    group = np.array([0, 1, -1, -1], dtype=np.int32)
    rows = sparse.csr_array(np.array([[-0.1, -0.7, 1.0, -0.9], [0, 0, -0.9, 1.0], [0, 0, 0, 0]]))
    assert aggregation._strongest(rows, group).tolist() == [1, -1, -1]  # pyright: ignore[reportPrivateUsage]


def test_points_without_links_are_groups_of_their_own() -> None:
    empty: Any = sparse.csr_array((40, 40), dtype=np.float32)
    assert sorted(make_groups(empty).tolist()) == list(range(40))


def test_levels_are_the_same_graph_with_fewer_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aggregation, "FEWEST_POINTS", 50)
    laplacian = laplacian_of(900)
    levels = make_levels(laplacian, fewest=10)
    assert len(levels) >= 3
    first = levels[0]
    assert np.array_equal(np.sort(first.order), np.arange(900))
    expected: Any = laplacian.toarray()[first.order][:, first.order]
    np.testing.assert_allclose(first.laplacian.toarray(), expected, atol=1e-7)
    whole = np.eye(900)
    for level, smaller in pairwise(levels):
        group = level.group
        assert bool((np.diff(group) >= 0).all())
        np.testing.assert_array_equal(np.bincount(group, level.masses), smaller.masses)
        whole = whole @ np.eye(len(smaller.masses))[group]  # the indicators P of all groups
        root = np.sqrt(np.outer(smaller.masses, smaller.masses))
        joined = whole.T @ expected @ whole
        np.testing.assert_allclose(smaller.laplacian.toarray() * root, joined, atol=1e-4)
        # What is constant never decays.
        assert abs(smaller.laplacian @ np.sqrt(smaller.masses)).max() < 1e-4
    assert len(levels[-1].group) == 0


def test_points_side_by_side_are_linked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aggregation, "FEWEST_POINTS", 50)
    laplacian = laplacian_of(2000)

    def reach(array: sparse.csr_array) -> float:
        rows = np.repeat(np.arange(2000), np.diff(array.indptr))
        return float(np.median(np.abs(rows - array.indices)[rows != array.indices]))

    assert reach(make_levels(laplacian, fewest=10)[0].laplacian) < 0.1 * reach(laplacian)


def test_a_small_graph_is_left_alone() -> None:
    laplacian = laplacian_of(300)
    (only,) = make_levels(laplacian, fewest=10)
    assert np.array_equal(only.order, np.arange(300))
    np.testing.assert_array_equal(only.laplacian.toarray(), laplacian.toarray())
