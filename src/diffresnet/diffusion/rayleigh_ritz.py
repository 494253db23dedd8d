"""Blocks of vectors and what subspace iteration does with them, a few rows at a time.

A block is a list of (N, 32) parts, which a thread each can filter; products with some rows stay in
the cache. Sums over rows are those of fixed blocks of rows, added in their order: the results do
not depend on the number of threads.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor
from torch.nn.functional import embedding_bag

from diffresnet._support.threads import share

ROWS = 2**11
"""Rows that are worked on at a time."""

SHARED_ROWS = 2**16
"""Rows that a thread works on before it takes others."""

GROWTH = 5.0
"""A filter makes the slowest mode larger by cosh of this, relative to the fastest of the block."""

LARGEST_DEGREE = 60

DEPENDENT = 1e-10
"""Directions of a block that are shorter, relative to the longest, squared, are noise."""


@dataclass(frozen=True)
class Rows:
    """Some rows of a CSR matrix.

    Attributes:
        where: which.
        starts: of each row in the entries, and the end.
        columns: of the entries.
        values: of the entries.
    """

    where: slice
    starts: Tensor
    columns: Tensor
    values: Tensor

    def times(self, x: Tensor) -> Tensor:
        """Return these rows of the product with (N, c) columns."""
        return embedding_bag(
            self.columns,
            x,
            self.starts,
            mode="sum",
            per_sample_weights=self.values,
            include_last_offset=True,
        )


class SymmetricMatrix:
    """A Laplacian as subspace iteration needs it.

    Args:
        array: (N, N) in single precision.
        constant: (N, c) orthonormal vectors that are left out of all blocks.
    """

    def __init__(self, array: sparse.csr_array, constant: sparse.csr_array) -> None:
        self.n_points = array.shape[0]
        self.high = 2 * float(array.diagonal().max())  # no eigenvalue is above, by Gershgorin
        self.constant: Any = constant
        self.rows = [self._cut(array, start) for start in range(0, self.n_points, ROWS)]

    def _cut(self, array: sparse.csr_array, start: int) -> Rows:
        where = slice(start, min(start + ROWS, self.n_points))
        starts = array.indptr[start : where.stop + 1]
        entries = slice(int(starts[0]), int(starts[-1]))
        columns, values = array.indices[entries], array.data[entries]
        parts = (torch.from_numpy(part) for part in (starts - starts[0], columns, values))
        return Rows(where, *parts)

    def filter(self, block: list[Tensor], low: float) -> None:
        """Multiply a block by T_d((L - c) / e), at most 1 from `low` up, large below.

        What it has of the constant vectors goes, and its vectors get length one.
        """
        center, half = (low + self.high) / 2, max((self.high - low) / 2, 1e-30)
        degree = min(LARGEST_DEGREE, math.ceil(GROWTH / math.acosh(center / half)))

        def filter_part(one: int) -> None:
            before = block[one]
            now = torch.empty_like(before)
            for rows in self.rows:
                moved = rows.times(before).sub_(before[rows.where], alpha=center)
                torch.div(moved, half, out=now[rows.where])
            for _ in range(degree - 1):
                for rows in self.rows:
                    moved = rows.times(now).sub_(now[rows.where], alpha=center)
                    last = before[rows.where]
                    torch.sub(moved.mul_(2 / half), last, out=last)
                before, now = now, before
            block[one] = now
            self._remove_constant(now)

        share(filter_part, range(len(block)))

    def remove_constant(self, block: list[Tensor]) -> None:
        """Take what a block has of the constant vectors off it, and scale it to length one."""
        share(self._remove_constant, block)

    def _remove_constant(self, part: Tensor) -> None:
        columns: Any = part.numpy()
        theirs = np.zeros((self.constant.shape[1], columns.shape[1]))
        for rows in self.rows:
            theirs += self.constant[rows.where].T @ columns[rows.where]
        squares = np.zeros(columns.shape[1])
        for rows in self.rows:
            columns[rows.where] -= self.constant[rows.where] @ theirs
            squares += np.square(columns[rows.where]).sum(axis=0, dtype=np.float64)
        part /= torch.from_numpy(np.sqrt(squares).clip(min=1e-30)).float()

    def rotate_to_modes(self, block: Sequence[Tensor]) -> Tensor:
        """Make each vector of a block a mode, as far as it has them, and return the rates.

        With B the block, G = B' B and H = B' L B, the new one is B C, where C' G C = 1 and C' H C
        are the rates (Rayleigh-Ritz).
        """
        n_each = SHARED_ROWS // ROWS
        groups = [self.rows[one : one + n_each] for one in range(0, len(self.rows), n_each)]

        def multiply(several: list[Rows]) -> Tensor:
            total = torch.zeros(2, width, width, dtype=torch.float64)
            for rows in several:
                own = torch.cat([part[rows.where] for part in block], dim=1).double()
                moved = torch.cat([rows.times(part) for part in block], dim=1).double()
                total[0].addmm_(own.mT, own)
                total[1].addmm_(own.mT, moved)
            return total

        width = sum(part.shape[1] for part in block)
        lengths, moved = reduce(Tensor.add_, share(multiply, groups))
        sizes, axes = torch.linalg.eigh(lengths)
        axes = axes / sizes.clamp(min=DEPENDENT * float(sizes[-1])).sqrt()
        rates, turned = torch.linalg.eigh(axes.mT @ ((moved + moved.mT) / 2) @ axes)
        rotation = (axes @ turned).float()

        def rotate(several: list[Rows]) -> None:
            for rows in several:
                new = torch.cat([part[rows.where] for part in block], dim=1) @ rotation
                for part, columns in zip(block, new.split(block[0].shape[1], dim=1), strict=True):
                    part[rows.where] = columns

        share(rotate, groups)
        return rates
