"""What a job depends on, and how many shards and blocks there are."""

from dataclasses import dataclass

BASE = 4.8e8
"""Bytes that a worker takes before it has any point: Python and its libraries."""
A_ROW = 3000
"""Bytes that a row of a block takes: its links, some columns of vectors, a halo, and parcels, which
all workers of a machine share; blocks are not of quite the same size, either."""
LARGEST_SHARD = 100_000
SMALLEST_SHARD = 5_000


@dataclass(frozen=True)
class Settings:
    """What a job depends on.

    Attributes:
        n_top: neighbors that the graph keeps, the point itself counted.
        bandwidth_rank: of the kernel's width, the point itself counted.
        n_modes: of the graph, at least.
        seed: of everything that is drawn.
        memory: bytes that a worker may take, about.
        n_shards: None for what memory and workers suggest.
        n_blocks: the same.
    """

    n_top: int = 11
    bandwidth_rank: int = 6
    n_modes: int = 100
    seed: int = 0
    memory: float = 2e9
    n_shards: int | None = None
    n_blocks: int | None = None

    def shards(self, n_points: int, n_features: int, n_workers: int) -> int:
        """Return how many shards there are: each is searched by one worker."""
        if self.n_shards is not None:
            return self.n_shards
        a_row = 2 * (12 * n_features + 40 * self.n_top)  # twice, for the guests
        largest = min(LARGEST_SHARD, max(1000, int((self.memory - BASE) / a_row)))
        needed = -(-n_points // largest)
        return max(needed, min(4 * n_workers, n_points // SMALLEST_SHARD), 1)

    def blocks(self, n_points: int, n_shards: int, n_workers: int) -> int:
        """Return how many blocks there are: each stays with one worker."""
        if self.n_blocks is not None:
            return self.n_blocks
        needed = -(-n_points // max(1000, int((self.memory - BASE) / A_ROW)))
        return max(1, min(n_shards, max(needed, n_workers)))
