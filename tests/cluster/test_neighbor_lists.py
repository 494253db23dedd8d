from pathlib import Path

import numpy as np
import torch

from diffresnet import build_weights, nearest_neighbors, normalize
from diffresnet.cluster.neighbor_lists import MISSING, merge_lists, weigh
from diffresnet.graph import matrix as mx
from tests.cluster.examples import make_job, write_points


def test_lists_are_merged_to_the_nearest_different_points() -> None:
    indices = np.array([[4, 7, 2, 7, 9, MISSING], [1, MISSING, MISSING, MISSING, MISSING, 1]])
    distances = np.array([[0.0, 1.0, 3.0, 1.0, 2.0, np.inf], [0.5, *[np.inf] * 4, 0.5]])
    found, lengths = merge_lists(indices, distances, 3)
    assert found.tolist() == [[4, 7, 9], [1, MISSING, MISSING]]
    assert lengths.tolist() == [[0, 1, 2], [0.5, np.inf, np.inf]]


def test_weights_are_those_of_build_weights() -> None:
    points = torch.randn(50, 4, generator=torch.Generator().manual_seed(0))
    near = nearest_neighbors(points, 11)
    values = torch.from_numpy(weigh(near.distances.numpy(), 11, 6))
    raw = torch.zeros(50, 50).scatter(1, near.indices, values)
    truth = build_weights(points, 11, bandwidth_rank=6, bandwidth_scale=0.5, normalization="row")
    torch.testing.assert_close(normalize(raw, "row"), truth.to_dense())


def test_shards_find_what_one_search_finds(tmp_path: Path) -> None:
    """The graph of four shards has nearly all links of the exact one, and each both ways."""
    points = write_points(tmp_path / "points")
    job = make_job(tmp_path / "work", points, n_shards=4, n_blocks=1)
    job.run()
    work = job.work
    own = [work.load(f"shards/{one}/points.npy") for one in range(4)]
    starts = np.cumsum([0, *(len(one) for one in own)])
    dense = np.zeros((starts[-1], starts[-1]), np.float32)
    for one in range(4):
        counts = np.diff(work.load(f"rows/{one}/starts.npy"))
        rows = starts[one] + np.repeat(np.arange(len(counts)), counts)
        dense[rows, work.load(f"rows/{one}/columns.npy")] = work.load(f"rows/{one}/values.npy")
    np.testing.assert_allclose(dense, dense.T)
    whole = torch.from_numpy(np.concatenate(own))
    exact = build_weights(whole, 11, bandwidth_rank=6, bandwidth_scale=0.5)
    truth = mx.to_scipy(exact).toarray() > 0
    assert (dense > 0)[truth].mean() > 0.95
