"""Neighbors across shards: each shard searches among its points and guests, lists are merged.

A point is owned by one shard and a guest of another, and has a list of neighbors from both; the
nearest of the two lists are kept (as cuVS's all_neighbors and DiskANN do). Numbers of points are
those of all points, shard by shard.
"""

from functools import partial

import numpy as np
import torch

from diffresnet.cluster.engine import Engine
from diffresnet.cluster.shards import Numbering
from diffresnet.cluster.work import Array, Work
from diffresnet.graph.neighbors import search_neighbors
from diffresnet.graph.weights import Bandwidths, similarities
from diffresnet.learning.mixture_settings import BANDWIDTH_SCALE

EXACT = 40_000
"""Up to this number of points a shard is searched exactly."""

MISSING = -1


def search_all(
    engine: Engine, work: Work, numbering: Numbering, n_top: int, bandwidth_rank: int
) -> None:
    """Find the neighbors of all points, and write the symmetric weights, shard by shard.

    Args:
        engine: that runs it.
        work: where the points are, and the weights go.
        numbering: of the points.
        n_top: neighbors that are kept, the point itself counted.
        bandwidth_rank: of the kernel's width.
    """
    shards = range(numbering.own.shape[1])
    if all(work.has(f"rows/{one}/values.npy") for one in shards):
        return
    n_near = max(n_top, bandwidth_rank)
    ranks = n_top, bandwidth_rank
    for done, work_on in (
        ("near/{}/guest_distances.npy", partial(search_shard, work, numbering, n_near)),
        ("links/{}/values.npy", partial(merge_shard, work, numbering, ranks)),
        ("rows/{}/values.npy", partial(join_links, work, numbering)),
    ):
        missing = [one for one in shards if not work.has(done.format(one))]
        engine.map(work_on, [(one,) for one in missing])
    for name in ("near", "links"):
        work.drop(name)


def search_shard(work: Work, numbering: Numbering, n_near: int, shard: int) -> None:
    """Search among the points of a shard and its guests, and write the lists of all of them."""
    points, numbers = gather(work, numbering, shard)
    n_own = int(numbering.own[:, shard].sum())
    if n_own and not work.has(f"shards/{shard}/points.npy"):
        _gather_own(work, numbering, shard)
    elif not n_own:
        work.save(f"shards/{shard}/points.npy", points[:0])
        work.save(f"shards/{shard}/near.npy", np.zeros((0, 1), np.int32))
        work.save(f"shards/{shard}/near_weights.npy", np.zeros((0, 1), np.float32))
    distances = np.full((len(points), n_near), np.inf, np.float32)
    indices = np.full((len(points), n_near), MISSING, np.int64)
    width = min(n_near, len(points))
    if width:
        search = "exact" if len(points) <= EXACT else "approximate"
        given = torch.from_numpy(points)
        near = search_neighbors("cluster", "n_top", given, width, search)
        distances[:, :width] = near.distances.numpy()
        indices[:, :width] = numbers[near.indices.numpy()]
    folder = f"near/{shard}"
    work.save(f"{folder}/indices.npy", indices[:n_own])
    work.save(f"{folder}/distances.npy", distances[:n_own])
    order = n_own + np.argsort(numbers[n_own:], kind="stable")
    work.save(f"{folder}/guests.npy", numbers[order])
    work.save(f"{folder}/guest_indices.npy", indices[order])
    work.save(f"{folder}/guest_distances.npy", distances[order])


def gather(work: Work, numbering: Numbering, shard: int) -> tuple[Array, Array]:
    """Return the points of a shard, those it owns first, and their numbers."""
    own, guests = list[Array](), list[Array]()
    numbers, theirs = list[Array](), list[Array]()
    for file in range(len(numbering.own)):
        stored = work.rows(f"files/{file}/points.npy")
        begin, end = numbering.in_file(file, shard)
        own.append(stored.read(begin, end))
        numbers.append(numbering.starts[file, shard] + np.arange(end - begin))
        places = work.rows(f"files/{file}/guests.npy").read(*numbering.guests_in_file(file, shard))
        guests.append(stored.take(places))
        theirs.append(numbering.of_places(file, places))
    return np.concatenate([*own, *guests]), np.concatenate([*numbers, *theirs])


def _gather_own(work: Work, numbering: Numbering, shard: int) -> None:
    """Write what the files have of the points that a shard owns."""
    for name in ("near", "near_weights", "points"):
        parts = [
            work.rows(f"files/{file}/{name}.npy").read(*numbering.in_file(file, shard))
            for file in range(len(numbering.own))
        ]
        work.save(f"shards/{shard}/{name}.npy", np.concatenate(parts))


def merge_lists(indices: Array, distances: Array, n_near: int) -> tuple[Array, Array]:
    """Return the nearest different points of lists, from near to far.

    Args:
        indices: (n, m) numbers of points, -1 for none; some may be there twice.
        distances: (n, m) to them.
        n_near: how many are kept.
    """
    by_number = np.argsort(indices, axis=1, kind="stable")
    indices = np.take_along_axis(indices, by_number, axis=1)
    distances = np.take_along_axis(distances, by_number, axis=1)
    is_same = np.zeros(indices.shape, dtype=bool)
    is_same[:, 1:] = indices[:, 1:] == indices[:, :-1]
    distances = np.where(is_same | (indices == MISSING), np.inf, distances)
    order = np.argsort(distances, axis=1, kind="stable")[:, :n_near]
    distances = np.take_along_axis(distances, order, axis=1)
    indices = np.take_along_axis(indices, order, axis=1)
    return np.where(distances < np.inf, indices, MISSING), distances


def merge_shard(work: Work, numbering: Numbering, ranks: tuple[int, int], shard: int) -> None:
    """Merge the lists of the points that a shard owns, weigh them, and write links by their end."""
    bounds = numbering.bounds
    low, high = bounds[shard : shard + 2]
    indices, distances = (work.load(f"near/{shard}/{one}.npy") for one in ("indices", "distances"))
    more = np.full(indices.shape, MISSING), np.full(distances.shape, np.inf, np.float32)
    for other in range(numbering.own.shape[1]):
        if other != shard:
            begin, end = work.rows(f"near/{other}/guests.npy").search(np.array([low, high]))
            if begin < end:
                rows = work.rows(f"near/{other}/guests.npy").read(begin, end) - low
                more[0][rows] = work.rows(f"near/{other}/guest_indices.npy").read(begin, end)
                more[1][rows] = work.rows(f"near/{other}/guest_distances.npy").read(begin, end)
    own = np.arange(low, high)[:, None]
    both = np.concatenate([indices, more[0]], axis=1), np.concatenate([distances, more[1]], axis=1)
    both[1][both[0] == own] = -1  # a point is the nearest to itself, also among its copies
    indices, distances = merge_lists(*both, indices.shape[1])
    values = weigh(np.maximum(distances, 0), *ranks)
    kept = indices[:, : values.shape[1]]
    linked = (values > 0) & (kept != MISSING)
    starts, ends = np.broadcast_to(own, kept.shape)[linked], kept[linked]
    order = np.argsort(ends, kind="stable")
    work.save(f"links/{shard}/starts.npy", starts[order])
    work.save(f"links/{shard}/ends.npy", ends[order])
    work.save(f"links/{shard}/values.npy", values[linked][order])


def weigh(distances: Array, n_top: int, bandwidth_rank: int) -> Array:
    """Return the Gaussian weights of the first `n_top` neighbors; see `build_weights`."""
    width = distances.shape[1]
    given = torch.from_numpy(distances)
    kept = Bandwidths("cluster", width, min(n_top, width), None, min(bandwidth_rank, width))
    sigma = BANDWIDTH_SCALE * kept.of_rows(given)
    return similarities(given[:, : kept.n_top], sigma).numpy()


def join_links(work: Work, numbering: Numbering, shard: int) -> None:
    """Write the rows (W + W') / 2 of a shard: its own links, and those that end in it."""
    low, high = (int(one) for one in numbering.bounds[shard : shard + 2])
    starts, ends, values = (
        work.load(f"links/{shard}/{one}.npy") for one in ("starts", "ends", "values")
    )
    rows, columns, halves = [starts - low], [ends], [values / 2]
    for other in range(numbering.own.shape[1]):
        begin, end = work.rows(f"links/{other}/ends.npy").search(np.array([low, high]))
        rows.append(work.rows(f"links/{other}/ends.npy").read(begin, end) - low)
        columns.append(work.rows(f"links/{other}/starts.npy").read(begin, end))
        halves.append(work.rows(f"links/{other}/values.npy").read(begin, end) / 2)
    where, to, weights = np.concatenate(rows), np.concatenate(columns), np.concatenate(halves)
    order = np.lexsort((to, where))
    where, to, weights = where[order], to[order], weights[order]
    is_new = np.ones(len(where), dtype=bool)
    is_new[1:] = (where[1:] != where[:-1]) | (to[1:] != to[:-1])
    firsts = np.flatnonzero(is_new)
    summed = np.add.reduceat(weights, firsts) if len(firsts) else weights
    counts = np.bincount(where[firsts], minlength=high - low)
    work.save(f"rows/{shard}/starts.npy", np.concatenate([[0], np.cumsum(counts)]))
    work.save(f"rows/{shard}/columns.npy", to[firsts])
    work.save(f"rows/{shard}/values.npy", summed.astype(np.float32))
