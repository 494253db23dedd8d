"""Who works on which points: shards around centers, each point in its own and in the next nearest.

The centers are those of k-means on a sample, with a price for each that keeps shards about equal:
a point goes where squared distance plus price is least. The points of a file are written in order
of their shards, so that a shard reads one slice of every file.
"""

import io
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
import torch
from torch import Tensor

from diffresnet._support.writing import write_whole
from diffresnet.cluster.source import Source
from diffresnet.cluster.work import Array, Work
from diffresnet.learning.features import FeatureSpace

N_ROUNDS = 30
PRICE_RATE = 0.1
"""How far a price moves in a round, relative to the spread of distances."""

N_LANDMARKS = 4096
"""Points of the sample whose graph gives a first guess of the slow modes."""
N_NEAR = 3
"""Landmarks that a point takes its guess from."""
ROWS = 2**11
"""Points that are compared with centers or landmarks at a time: 32 MB of distances, at most."""


@dataclass(frozen=True)
class Plan:
    """How features become points, and points go to shards.

    Attributes:
        space: of the points.
        centers: (P, d) of the shards.
        prices: (P,) of the shards.
        landmarks: (m, d) points of the sample.
    """

    space: FeatureSpace
    centers: Tensor
    prices: Tensor
    landmarks: Tensor

    @classmethod
    def make(cls, features: Array, n_shards: int, seed: int) -> "Plan":
        """Make a plan from a sample.

        Args:
            features: (S, d) of the sample.
            n_shards: P.
            seed: of the centers.
        """
        space, points, _ = FeatureSpace.fit(features, seed)
        centers, prices = find_centers(points, n_shards, seed)
        generator = torch.Generator().manual_seed(seed)
        drawn = torch.randperm(len(points), generator=generator)[:N_LANDMARKS]
        return cls(space, centers, prices, points[drawn])

    def assign(self, points: Tensor) -> tuple[Array, Array]:
        """Return the shard of each point, and its second; -1 if there is one only."""
        n_best = min(2, len(self.centers))
        blocks = [
            _costs(some, self.centers, self.prices).topk(n_best, dim=1, largest=False).indices
            for some in points.split(ROWS)
        ]
        found = torch.cat(blocks).numpy() if blocks else np.zeros((0, n_best), np.int64)
        second = found[:, 1] if n_best == 2 else np.full(len(found), -1)
        return found[:, 0], second

    def guess(self, points: Tensor) -> tuple[Array, Array]:
        """Return the landmarks near each point (n, 3), and their weights."""
        n_near = min(N_NEAR, len(self.landmarks))
        indices, weights = list[Tensor](), list[Tensor]()
        for some in points.split(ROWS):
            squares = _costs(some, self.landmarks).add_(some.square().sum(dim=1, keepdim=True))
            near = squares.clamp_(min=0).topk(n_near, dim=1, largest=False)
            closeness = 1 / (near.values + 1e-3 * near.values[:, -1:] + 1e-12)
            indices.append(near.indices.int())
            weights.append(closeness / closeness.sum(dim=1, keepdim=True))
        if not indices:
            return np.zeros((0, n_near), np.int32), np.zeros((0, n_near), np.float32)
        return torch.cat(indices).numpy(), torch.cat(weights).numpy()


def find_centers(points: Tensor, n_shards: int, seed: int) -> tuple[Tensor, Tensor]:
    """Return the centers (P, d) of about equal shards, neighbors beside each other, and prices.

    Args:
        points: (S, d) of a sample.
        n_shards: P.
        seed: of the first centers.
    """
    generator = torch.Generator().manual_seed(seed)
    n_shards = min(n_shards, len(points))
    centers = points[torch.randperm(len(points), generator=generator)[:n_shards]].clone()
    prices, unit = torch.zeros(n_shards), PRICE_RATE * float(points.var(dim=0).sum())
    for _ in range(N_ROUNDS if n_shards > 1 else 0):
        own = _costs(points, centers, prices).argmin(dim=1)
        sizes = torch.bincount(own, minlength=n_shards)
        sums = torch.zeros_like(centers).index_add_(0, own, points)
        filled = sizes > 0
        centers[filled] = sums[filled] / sizes[filled].unsqueeze(1)
        prices += unit * (n_shards * sizes / len(points) - 1).clamp(-1, 1)
    order = _along_a_line(centers)
    return centers[order], prices[order]


def _along_a_line(centers: Tensor) -> Tensor:
    """Return an order in which near centers follow each other, always to the nearest one left."""
    apart = torch.cdist(centers, centers)
    left = torch.ones(len(centers), dtype=torch.bool)
    found = [int(centers[:, 0].argmin())]
    left[found[0]] = False
    while bool(left.any()):
        found.append(int(torch.where(left, apart[found[-1]], torch.inf).argmin()))
        left[found[-1]] = False
    return torch.tensor(found)


def _costs(points: Tensor, centers: Tensor, prices: Tensor | float = 0.0) -> Tensor:
    """Return |x - c|^2 plus the price, (n, P), but for what centers share."""
    return torch.addmm(centers.square().sum(dim=1) + prices, points, centers.mT, alpha=-2)


def scatter(work: Work, source: Source, plan: Plan, file: int, wanted: list[int]) -> dict[str, Any]:
    """Write the points of a file in order of their shards, and say how many there are of each.

    Args:
        work: where they go.
        source: the files.
        plan: of the shards.
        file: which.
        wanted: rows whose places are asked for.

    Returns:
        The numbers of owned points and of guests of each shard, and the shard and rank within it
        (among the points of this file) of the wanted rows.
    """
    name = f"files/{file}"
    if not work.has(f"{name}/counts.json"):
        read = source.read(file)
        content = io.BytesIO()
        pl.DataFrame({"id": read.ids}, schema={"id": pl.String}).write_parquet(content)
        write_whole(work.path(f"{name}/ids.parquet"), content.getvalue())
        points = plan.space.place(read.features)[0] if read.ids else plan.landmarks[:0]
        del read, content
        owner, second = plan.assign(points)
        order, n_shards = np.argsort(owner, kind="stable"), len(plan.centers)
        points = points[torch.from_numpy(order)]
        near, weights = plan.guess(points)
        guests = np.argsort(second[order], kind="stable")
        guests = guests[second[order][guests] >= 0]
        work.save(f"{name}/points.npy", points.numpy())
        work.save(f"{name}/rows.npy", order)
        work.save(f"{name}/guests.npy", guests)
        work.save(f"{name}/near.npy", near)
        work.save(f"{name}/near_weights.npy", weights)
        own = np.bincount(owner, minlength=n_shards).tolist()
        theirs = np.bincount(second[second >= 0], minlength=n_shards).tolist()
        work.save_table(f"{name}/counts.json", {"own": own, "guests": theirs})
    counts = work.load_table(f"{name}/counts.json")
    starts = np.concatenate([[0], np.cumsum(counts["own"])])
    place = np.argsort(work.load(f"{name}/rows.npy"), kind="stable")[np.array(wanted, np.int64)]
    shard = np.searchsorted(starts, place, side="right") - 1
    return {**counts, "shard": shard.tolist(), "rank": (place - starts[shard]).tolist()}


@dataclass(frozen=True)
class Numbering:
    """Where the points of all files are among all points: shard by shard, file by file.

    Attributes:
        own: (F, P) points of each file in each shard.
        guests: (F, P) guests.
    """

    own: Array
    guests: Array

    @cached_property
    def bounds(self) -> Array:
        """Where each shard begins, and the end, (P + 1,)."""
        return np.concatenate([[0], np.cumsum(self.own.sum(axis=0))])

    @cached_property
    def starts(self) -> Array:
        """The number of the first point of each file in each shard, (F, P)."""
        before = np.cumsum(self.own, axis=0) - self.own
        return self.bounds[:-1] + before

    def in_file(self, file: int, shard: int) -> tuple[int, int]:
        """Return where the points of a shard begin and end in a file."""
        end = int(self.own[file, : shard + 1].sum())
        return end - int(self.own[file, shard]), end

    def guests_in_file(self, file: int, shard: int) -> tuple[int, int]:
        """Return where the guests of a shard begin and end in the list of a file."""
        end = int(self.guests[file, : shard + 1].sum())
        return end - int(self.guests[file, shard]), end

    def of_places(self, file: int, places: Array) -> Array:
        """Return the numbers of points, given by their places in the order of a file."""
        edges = np.concatenate([[0], np.cumsum(self.own[file])])
        shard = np.searchsorted(edges, places, side="right") - 1
        return self.starts[file][shard] + places - edges[shard]
