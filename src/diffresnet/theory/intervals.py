"""Subclasses along a direction: the interval of each, and how far apart they are."""

import math
from dataclasses import dataclass

import numpy as np

from diffresnet.theory.grouped_points import Floats, Integers

BLOCK_SIZE = 2**22
"""How many projections are in memory at a time."""


@dataclass(frozen=True)
class GroupedRows:
    """Points sorted by subclass, so that intervals are found by one pass.

    Attributes:
        rows: (N, d) points, centered, those of subclass 0 first.
        starts: (M,) row at which each subclass begins.
    """

    rows: Floats
    starts: Integers

    @classmethod
    def of(cls, rows: Floats, groups: Integers) -> "GroupedRows":
        """Sort centered points by their groups 0, 1, ..., M - 1, none of which is empty."""
        order = np.argsort(groups, kind="stable")
        starts = np.searchsorted(groups[order], np.arange(int(groups.max()) + 1))
        return cls(rows[order] - rows.mean(axis=0), starts.astype(np.int64))

    @property
    def n_groups(self) -> int:
        """M."""
        return len(self.starts)

    @property
    def groups(self) -> Integers:
        """(N,) subclass of each point."""
        return np.repeat(np.arange(self.n_groups), np.diff(np.append(self.starts, len(self.rows))))

    @property
    def means(self) -> Floats:
        """(M, d) mean of each subclass."""
        sums = np.add.reduceat(self.rows, self.starts, axis=0)
        return sums / np.bincount(self.groups)[:, None]

    @property
    def deviations(self) -> Floats:
        """(N, d) points less the mean of their subclass."""
        return self.rows - self.means[self.groups]

    def ends(self, directions: Floats) -> tuple[Floats, Floats]:
        """Return the left and the right end of each subclass along directions (k, d): (M, k)."""
        lows: list[Floats] = []
        highs: list[Floats] = []
        size = max(1, BLOCK_SIZE // len(self.rows))
        for first in range(0, len(directions), size):
            places = self.rows @ directions[first : first + size].T
            lows.append(np.minimum.reduceat(places, self.starts, axis=0))
            highs.append(np.maximum.reduceat(places, self.starts, axis=0))
        return np.concatenate(lows, axis=1), np.concatenate(highs, axis=1)

    def margins(self, directions: Floats) -> Floats:
        """Return the smallest gap between neighbors along unit directions (k, d); (k,).

        Where two subclasses overlap it is negative: the depth of the deepest overlap.
        """
        lows, highs = self.ends(directions)
        if self.n_groups == 1:
            return np.full(len(directions), math.inf)
        order = np.argsort(lows, axis=0)
        lows, highs = (np.take_along_axis(end, order, axis=0) for end in (lows, highs))
        return (lows[1:] - np.maximum.accumulate(highs, axis=0)[:-1]).min(axis=0)

    def parted_pairs(self, direction: Floats) -> int:
        """Count the pairs of subclasses whose intervals do not touch along a direction (d,)."""
        lows, highs = (end[:, 0] for end in self.ends(direction[None]))
        return int((lows[:, None] > highs[None]).sum())


def unit(directions: Floats) -> Floats:
    """Return directions (k, d) with length 1; zeros stay."""
    lengths = np.linalg.norm(directions, axis=1, keepdims=True)
    return directions / np.where(lengths > 0, lengths, 1)
