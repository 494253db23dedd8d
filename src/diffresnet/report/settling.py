"""A map of all points of a graph that settles step by step.

Points that are linked attract each other, others repel each other: the loss of UMAP (McInnes and
others, 2018), with pairs drawn by the weights of our own graph and points to be repelled drawn at
random, all points at a time.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from scipy import sparse
from torch import Tensor

Floats = npt.NDArray[np.float32]

HALF_WIDTH = 10.0
"""Of the start: the map settles from about this size."""


@dataclass(frozen=True)
class MapSettings:
    """How a map is made.

    Attributes:
        spread: a and b of the similarity 1 / (1 + a d^2b) of two places.
        n_repelled: points that each one is repelled from, a round.
        longest_move: of a point along an axis, a round, at first.
        noise: of the start, which parts equal points.
        n_moves: about this number of moves of a point are made in all.
        rounds: the least and the largest number of rounds.
    """

    spread: tuple[float, float] = (1.577, 0.895)
    n_repelled: int = 4
    longest_move: float = 4.0
    noise: float = 0.02
    n_moves: int = 15_000_000
    rounds: tuple[int, int] = (60, 400)


DEFAULT_MAP = MapSettings()


def count_rounds(n_points: int, settings: MapSettings = DEFAULT_MAP) -> int:
    """Return how many rounds a map of that size takes."""
    least, most = settings.rounds
    return min(max(settings.n_moves // max(n_points, 1), least), most)


def start_from(embedding: Tensor, seed: int, settings: MapSettings = DEFAULT_MAP) -> Tensor:
    """Return places along the two main directions of points, (N, 2), with a little noise.

    Args:
        embedding: (N, m) where diffusion puts the points, or what their features say.
        seed: of the noise.
        settings: of the map.
    """
    centered = embedding.float() - embedding.float().mean(dim=0)
    directions = torch.linalg.eigh((centered.mT @ centered).double()).eigenvectors.float()
    found = centered @ directions[:, -2:].flip(1)
    # An eigenvector has no sign of its own: the longer tail is on the right, and above.
    found *= torch.where(found.double().pow(3).sum(dim=0) < 0, -1.0, 1.0)
    places = torch.zeros(len(embedding), 2)
    places[:, : found.shape[1]] = found
    largest = places.abs().max().clamp(min=1e-12)
    generator = torch.Generator().manual_seed(seed)
    noise = torch.randn(places.shape, generator=generator)
    return HALF_WIDTH * (places / largest + settings.noise * noise)


class _Partners:
    """Neighbors drawn by their weights, one for each point."""

    def __init__(self, weights: sparse.csr_array) -> None:
        links = sparse.csr_array(weights, copy=True)
        links.setdiag(0)
        links.eliminate_zeros()
        self.columns = torch.from_numpy(links.indices.astype(np.int64))
        sums = np.concatenate([[0.0], np.cumsum(links.data, dtype=np.float64)])
        starts = torch.from_numpy(sums[links.indptr])
        self.low, self.width = starts[:-1], starts[1:] - starts[:-1]
        self.sums = torch.from_numpy(sums)
        self.alone = self.width <= 0
        self.all = torch.arange(len(self.low))

    def draw(self, generator: torch.Generator, at: Tensor | None = None) -> Tensor:
        """Return a neighbor of each point, or of those `at`; itself if it has none."""
        here = self.all if at is None else at
        if len(self.columns) == 0:
            return here
        drawn = torch.rand(len(here), generator=generator, dtype=torch.float64)
        where = self.low[here] + drawn * self.width[here]
        found = torch.searchsorted(self.sums, where, right=True) - 1
        near = self.columns[found.clamp(0, len(self.columns) - 1)]
        return torch.where(self.alone[here], here, near)


def settle(
    weights: sparse.csr_array,
    start: Tensor,
    *,
    n_walked: int = 1,
    seed: int = 0,
    n_rounds: int | None = None,
    settings: MapSettings = DEFAULT_MAP,
) -> Iterator[Tensor]:
    """Yield the places (N, 2) after each round; the last ones are the map.

    The same tensor is yielded every time.

    Args:
        weights: (N, N) of the graph.
        start: (N, 2) where the points begin.
        n_walked: links between points that attract each other: 1 for neighbors, which shows the
            graph as it is; more for the ends of random walks, which is the graph after diffusion.
        seed: of all that is drawn.
        n_rounds: how many; by default `count_rounds` says it.
        settings: of the map.
    """
    partners, generator = _Partners(weights), torch.Generator().manual_seed(seed)
    places, n_points = start.clone(), len(start)
    n_rounds = count_rounds(n_points, settings) if n_rounds is None else n_rounds
    for round_ in range(n_rounds):
        rate = 1 - round_ / n_rounds
        near = partners.draw(generator)
        for _ in range(n_walked - 1):
            near = partners.draw(generator, near)
        pull = _pull(places - places[near], settings)
        moves = -pull
        moves.index_add_(0, near, pull)
        for _ in range(settings.n_repelled):
            far = torch.randint(n_points, (n_points,), generator=generator)
            moves += _push(places - places[far], settings)
        places += rate * moves.clamp_(-settings.longest_move, settings.longest_move)
        yield places


def _pull(apart: Tensor, settings: MapSettings) -> Tensor:
    a, b = settings.spread
    squared = apart.square().sum(dim=1, keepdim=True)
    power = squared.clamp(min=1e-8).pow(b)
    factor = 2 * a * b * (power / squared.clamp(min=1e-8)) / (1 + a * power)
    return (factor * apart).clamp_(-settings.longest_move, settings.longest_move)


def _push(apart: Tensor, settings: MapSettings) -> Tensor:
    a, b = settings.spread
    squared = apart.square().sum(dim=1, keepdim=True)
    factor = 2 * b / ((1e-3 + squared) * (1 + a * squared.clamp(min=1e-8).pow(b)))
    return (factor * apart).clamp_(-settings.longest_move, settings.longest_move)
