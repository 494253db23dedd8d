"""How many of the true neighbors the graph of all shards has, measured on some of its points."""

from functools import partial

import numpy as np
import torch

from diffresnet.cluster.engine import Engine
from diffresnet.cluster.neighbor_lists import merge_lists
from diffresnet.cluster.shards import Numbering
from diffresnet.cluster.work import ROWS, Array, Work

N_EXACT = 200
"""Points whose neighbors are searched for among all."""


def measure_recall(
    engine: Engine, work: Work, numbering: Numbering, numbers: Array, n_neighbors: int
) -> float:
    """Return which part of the nearest neighbors of some points are linked to them.

    Args:
        engine: that runs it.
        work: where points and links are.
        numbering: of the points.
        numbers: of the points that are looked at.
        n_neighbors: of a point, itself not counted.
    """
    bounds = numbering.bounds
    n_neighbors = min(n_neighbors, int(bounds[-1]) - 1)
    if n_neighbors < 1:
        return 1.0
    owner = np.searchsorted(bounds, numbers, side="right") - 1
    width = work.rows("shards/0/points.npy").shape[1]
    points, linked = np.empty((len(numbers), width), np.float32), list[set[int]]()
    for place, (number, shard) in enumerate(zip(numbers.tolist(), owner.tolist(), strict=True)):
        row = number - int(bounds[shard])
        points[place] = work.rows(f"shards/{shard}/points.npy").read(row, row + 1)[0]
        begin, end = work.rows(f"rows/{shard}/starts.npy").read(row, row + 2).tolist()
        linked.append(set(work.rows(f"rows/{shard}/columns.npy").read(begin, end).tolist()))
    search = partial(nearest_in, work, numbering, points, n_neighbors + 1)
    found = engine.map(search, [(shard,) for shard in range(numbering.own.shape[1])])
    indices, distances = (np.concatenate(parts, axis=1) for parts in zip(*found, strict=True))
    distances[indices == numbers[:, None]] = np.inf
    nearest, _ = merge_lists(indices, distances, n_neighbors)
    hits = [len(own & set(row)) for own, row in zip(linked, nearest.tolist(), strict=True)]
    return float(np.mean(hits)) / n_neighbors


def nearest_in(
    work: Work, numbering: Numbering, points: Array, n_nearest: int, shard: int
) -> tuple[Array, Array]:
    """Return the numbers of the nearest points of a shard (n, k), and squared distances."""
    own = torch.from_numpy(points).double()
    indices = np.zeros((len(points), 0), np.int64)
    distances = np.zeros((len(points), 0))
    stored, first = work.rows(f"shards/{shard}/points.npy"), int(numbering.bounds[shard])
    for begin in range(0, len(stored), ROWS):
        block = torch.from_numpy(stored.read(begin, begin + ROWS)).double()
        squares = torch.cdist(own, block).square()
        near = squares.topk(min(n_nearest, len(block)), dim=1, largest=False)
        both = first + begin + near.indices.numpy(), near.values.numpy()
        indices = np.concatenate([indices, both[0]], axis=1)
        distances = np.concatenate([distances, both[1]], axis=1)
        indices, distances = merge_lists(indices, distances, n_nearest)
    return indices, distances
