"""Some rows of the graph: what they are linked to, and what other blocks need of them.

A block has the rows of its points, in order, and after them its halo: points of other blocks that
its rows are linked to. A product with the graph is a local product once the halo is filled. What
the others need of the own rows goes out in parcels, one for each block.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from torch import Tensor

from diffresnet.cluster.work import Array, Work
from diffresnet.diffusion.rayleigh_ritz import Rows

STEP, LARGE_STEP = 2**12, 2**16
"""Rows that are multiplied at a time, and rows that are prepared at a time."""

Parcels = tuple[object, list[Array]]
"""A value for whoever asked, and something for each block."""


@dataclass(frozen=True)
class Layout:
    """Which points each block has.

    Attributes:
        bounds: (B + 1,) where each block begins among all points, and the end.
        shards: (B + 1,) where each block begins among the shards, and the end.
    """

    bounds: tuple[int, ...]
    shards: tuple[int, ...]

    @property
    def n_blocks(self) -> int:
        """B."""
        return len(self.bounds) - 1

    @property
    def n_points(self) -> int:
        """N."""
        return self.bounds[-1]


class GraphRows:
    """Rows of the graph, read from the files of their shards.

    Args:
        work: where these are.
        layout: of all blocks.
        number: which block this is.

    Attributes:
        n_own: points of the block.
        halo: (h,) numbers of the points that come after them.
        rows: of the matrix of products, some at a time; after `make_laplacian` that is L.
    """

    def __init__(self, work: Work, layout: Layout, number: int) -> None:
        self.work, self.number = work, number
        self.low, self.high = layout.bounds[number : number + 2]
        self.n_own = self.high - self.low
        self.shards = range(*layout.shards[number : number + 2])
        self.rows: list[Rows] = []
        self._load()
        edges = np.searchsorted(self.halo, layout.bounds).tolist()
        self.slots = [slice(first, last) for first, last in pairwise(edges)]
        self.asked: list[Array] = []

    def _load(self) -> None:
        """Read the rows, with columns as places among own points and the halo."""
        self.halo: Array = np.zeros(0, np.int64)
        for shard in self.shards:
            columns = self.work.load(f"rows/{shard}/columns.npy")
            foreign = columns[(columns < self.low) | (columns >= self.high)]
            self.halo = np.union1d(self.halo, foreign)
        starts, places, values = [np.zeros(1, np.int64)], list[Array](), list[Array]()
        n_links = 0
        for shard in self.shards:
            columns = self.work.load(f"rows/{shard}/columns.npy")
            is_own = (columns >= self.low) & (columns < self.high)
            there = self.n_own + np.searchsorted(self.halo, columns)
            places.append(np.where(is_own, columns - self.low, there).astype(np.int32))
            values.append(self.work.load(f"rows/{shard}/values.npy"))
            starts.append(self.work.load(f"rows/{shard}/starts.npy")[1:] + n_links)
            n_links += len(columns)
        self.starts = np.concatenate(starts)
        self.columns = np.concatenate([np.zeros(0, np.int32), *places])
        self.values = np.concatenate([np.zeros(0, np.float32), *values])

    def ask(self) -> Parcels:
        """Return which points of each block this one needs."""
        return None, [self.halo[slot] for slot in self.slots]

    def hear(self, *asked: Array) -> int:
        """Take what the others need, as places among own points; return the size of the halo."""
        self.asked = [np.asarray(one) - self.low for one in asked]
        return len(self.halo)

    def send(self, x: Tensor) -> list[Array]:
        """Return the rows of x that each block needs."""
        return [x[torch.from_numpy(one)].numpy() for one in self.asked]

    def receive(self, x: Tensor, inbox: Sequence[Array]) -> None:
        """Put the rows that have come from each block into the halo of x."""
        halo = x[self.n_own :]
        for slot, rows in zip(self.slots, inbox, strict=True):
            if slot.start < slot.stop:
                halo[slot] = torch.from_numpy(np.array(rows))

    def empty(self, n_columns: int) -> Tensor:
        """Return zeros for the own points and the halo."""
        return torch.zeros(self.n_own + len(self.halo), n_columns)

    def times(self, x: Tensor) -> Tensor:
        """Return the own rows of the product with x, whose halo is filled."""
        found = [rows.times(x) for rows in self.rows]
        return torch.cat(found) if found else x.new_zeros(0, x.shape[1])

    def _cut(self, values: Array) -> None:
        self.rows = []
        for first in range(0, self.n_own, STEP):
            where = slice(first, min(first + STEP, self.n_own))
            starts = self.starts[first : where.stop + 1]
            entries = slice(int(starts[0]), int(starts[-1]))
            parts = (starts - starts[0]).astype(np.int32), self.columns[entries], values[entries]
            self.rows.append(Rows(where, *map(torch.from_numpy, parts)))

    def _row_numbers(self) -> Array:
        return np.repeat(np.arange(self.n_own, dtype=np.int32), np.diff(self.starts))

    def begin_balance(self) -> Parcels:
        """Start Sinkhorn's iteration from s_i = d_i^-1/2."""
        sums = np.bincount(self._row_numbers(), self.values, minlength=self.n_own)
        self.factors = self.empty(1)
        roots = np.where(sums > 0, np.maximum(sums, 1e-30) ** -0.5, 0)
        self.factors[: self.n_own, 0] = torch.from_numpy(roots).float()
        self._cut(self.values)
        return None, self.send(self.factors)

    def step_balance(self, *inbox: Array) -> Parcels:
        """Take s <- (s / W s)^1/2; return how far row sums were from 1."""
        self.receive(self.factors, inbox)
        own = self.factors[: self.n_own].clone()
        products, filled = self.times(self.factors), own > 0
        errors = torch.where(filled, own * products - 1, 0).abs()
        new = torch.where(filled, (own / torch.where(filled, products, 1)).sqrt(), 0)
        self.before, self.factors[: self.n_own] = own, new
        return float(errors.max()) if self.n_own else 0.0, self.send(self.factors)

    def end_balance(self) -> None:
        """Write the factors of own points and halo as they were before the last step."""
        self.factors[: self.n_own] = self.before
        self.work.save(self._factors_name, self.factors[:, 0].numpy())

    @property
    def _factors_name(self) -> str:
        return f"factors/{self.number}.npy"

    def make_laplacian(self) -> tuple[float, float]:
        """Make L = D - S W S from the factors; return the largest of its diagonal, and the sum."""
        factors = self.work.load(self._factors_name)
        found, largest, total = np.empty_like(self.values), 0.0, 0.0
        for first in range(0, self.n_own, LARGE_STEP):  # the whole would need several times as much
            starts = self.starts[first : first + LARGE_STEP + 1]
            where = slice(int(starts[0]), int(starts[-1]))
            rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
            values = self.values[where] * factors[first + rows] * factors[self.columns[where]]
            is_own = self.columns[where] == first + rows
            degrees = np.bincount(rows, np.where(is_own, 0, values), minlength=len(starts) - 1)
            found[where] = np.where(is_own, degrees[rows], -values)
            largest, total = max(largest, float(degrees.max())), total + float(degrees.sum())
        self._cut(found)
        return largest, total

    def find_components(self) -> Parcels:
        """Find the components of the own rows alone, and send the number of each point's."""
        is_own = self.columns < self.n_own
        starts = np.concatenate([[0], np.cumsum(is_own)])[self.starts]
        columns = self.columns[is_own]
        parts = np.ones(len(columns), np.int8), columns, starts.astype(np.int32)
        own = sparse.csr_array(parts, shape=(self.n_own, self.n_own))
        found = connected_components(own, directed=False)[1]
        firsts = np.full(self.n_own, self.n_own)
        np.minimum.at(firsts, found, np.arange(self.n_own))
        self.component = self.low + firsts[found]
        return None, [self.component[one] for one in self.asked]

    def pair_components(self, *inbox: Array) -> Array:
        """Return which components of this block and others are linked, (n, 2)."""
        theirs = np.concatenate([np.zeros(0, np.int64), *(np.asarray(one) for one in inbox)])
        is_far = self.columns >= self.n_own
        rows = self._row_numbers()[is_far]
        pairs = np.stack([self.component[rows], theirs[self.columns[is_far] - self.n_own]], axis=1)
        return np.unique(pairs, axis=0)

    def name_components(self, names: dict[int, int]) -> None:
        """Give components the names that they have in the whole graph, and write them."""
        own, places = np.unique(self.component, return_inverse=True)
        named = np.array([names.get(one, one) for one in own.tolist()], dtype=np.int64)
        self.work.save(f"components/{self.number}.npy", named[places])
