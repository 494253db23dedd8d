from pathlib import Path

import numpy as np
import torch

from diffresnet import build_weights, nearest_neighbors, normalize
from diffresnet.cluster.neighbor_lists import MISSING, merge_lists, merge_shard, weigh
from diffresnet.cluster.shards import Numbering
from diffresnet.cluster.work import Work
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


def test_a_point_stays_in_its_list_among_many_copies(tmp_path: Path) -> None:
    """Eight copies, and lists of four: two shards have found four others each for some of them."""
    work, n_points, n_near = Work(tmp_path), 8, 4
    own = np.arange(n_points)[:, None]
    listed = np.concatenate([(own + 4 + np.arange(3)) % n_points, own], axis=1)
    others = (own + 1 + np.arange(n_near)) % n_points
    zeros = np.zeros((n_points, n_near), np.float32)
    work.save("near/0/indices.npy", listed)
    work.save("near/0/distances.npy", zeros)
    work.save("near/1/guests.npy", np.arange(n_points))
    work.save("near/1/guest_indices.npy", others)
    work.save("near/1/guest_distances.npy", zeros)
    numbering = Numbering(np.array([[n_points, 0]]), np.array([[0, n_points]]))
    merge_shard(work, numbering, (n_near, n_near), 0)
    starts, ends = (work.load(f"links/0/{one}.npy") for one in ("starts", "ends"))
    linked = set(zip(starts.tolist(), ends.tolist(), strict=True))
    assert {(one, one) for one in range(n_points)} <= linked
    assert len(linked) == n_points * n_near


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
