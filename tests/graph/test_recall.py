import pytest
import torch

import diffresnet.graph.recall
from diffresnet import build_weights, nearest_neighbors, weights_from_neighbors
from diffresnet._support.threads import limited_threads
from diffresnet.graph.recall import measure_recall
from tests.graph.test_weights import random_points


def test_an_exact_graph_has_all() -> None:
    points = random_points(300, 4)
    assert measure_recall(points, build_weights(points, 8), 7) == 1
    assert measure_recall(points.float(), build_weights(points.float(), 8), 7) == 1


def test_counts_what_is_missing() -> None:
    """Against a loop: each row lacks its two nearest, unless these have found it."""
    points = random_points(60, 3)
    near = nearest_neighbors(points, 9)
    kept = near.distances[:, [0, 3, 4, 5, 6]], near.indices[:, [0, 3, 4, 5, 6]]
    weights = weights_from_neighbors(*kept)
    linked = weights.to_dense() > 0
    hits = sum(
        bool(linked[row, other]) for row in range(60) for other in near.indices[row, 1:7].tolist()
    )
    assert 0.6 < hits / 360 < 0.9
    assert measure_recall(points, weights, 6) == pytest.approx(hits / 360)


def test_equally_near_is_near_enough() -> None:
    grid = torch.cartesian_prod(torch.arange(7.0), torch.arange(7.0))
    flipped = build_weights(grid.flip(0), 4).to_dense().flip(0, 1).to_sparse_csr()
    assert measure_recall(grid, flipped, 3) == 1


def test_in_blocks_and_by_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    points = random_points(200, 4)
    weights = build_weights(points[:, :3], 8)
    expected = measure_recall(points, weights, 7)
    assert 0 < expected < 1
    monkeypatch.setattr(diffresnet.graph.recall, "BLOCK_SIZE", 200 * 13)
    with limited_threads(2):
        assert measure_recall(points, weights, 7) == expected
