"""The slowest modes of a graph, all at once: subspace iteration with a Chebyshev filter.

A block of vectors is multiplied by a polynomial of the Laplacian that is large where it is slow,
made orthonormal, and rotated so that each vector is a mode (Rayleigh-Ritz); again and again, until
the rates settle (Zhou, Saad, Tiago and Chelikowsky, *Self-consistent-field calculations using
Chebyshev-filtered subspace iteration*). It needs products with the Laplacian only, of many columns
at a time, and as much memory as a few blocks.
"""

import math

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from diffresnet._support.threads import share
from diffresnet.graph import matrix as mx
from diffresnet.graph.product import COLUMNS, column_blocks, product

TOLERANCE = 1e-2
"""Of the rates, relative to the last round: what slow modes are good for needs no more."""

MOST_ROUNDS = 20
LARGEST_DEGREE = 60
GROWTH = 4.0
"""A round makes the slowest mode larger by cosh of this, relative to the fastest of the block."""

SMALLEST = 1e-6
"""No rate of the block is taken for smaller, relative to the bound of all."""

GUARD = 0.1
"""The block has this part more vectors than modes are asked for, and some more."""


def slowest_modes(
    laplacian: Tensor, constant: sparse.csr_array, n_modes: int
) -> tuple[Tensor, Tensor]:
    """Return the least positive eigenvalues and their vectors, in single precision.

    Args:
        laplacian: (N, N) CSR, symmetric.
        constant: (N, c) orthonormal vectors that never decay, which are left out.
        n_modes: how many; at most N - c.

    Returns:
        The rates (m,), rising, and the modes (N, m): as good as they are after `MOST_ROUNDS`.
    """
    single = laplacian.float()
    n_points = laplacian.shape[0]
    wanted = n_modes + max(10, math.ceil(GUARD * n_modes))
    n_vectors = min(n_points - constant.shape[1], math.ceil(wanted / COLUMNS) * COLUMNS)
    generator = torch.Generator().manual_seed(0)
    block = torch.randn(n_points, n_vectors, generator=generator)
    high = 2 * float(mx.diagonal(single).max())  # no eigenvalue is above, by Gershgorin
    rates = torch.zeros(n_modes)
    if high <= 0:  # no links at all
        return rates, torch.linalg.qr(_without(constant, block))[0][:, :n_modes]
    low, before = high / 20, None
    for _ in range(MOST_ROUNDS):
        block = torch.linalg.qr(_without(constant, _filter(single, block, low, high)))[0]
        moved = torch.cat([product(single, part) for part in column_blocks(block)], dim=1)
        found, rotation = torch.linalg.eigh((block.mT @ moved).double())
        block = block @ rotation.float()
        rates = found[:n_modes].clamp(min=0).float()
        if before is not None and bool(((before - rates).abs() <= TOLERANCE * rates).all()):
            break
        low, before = min(max(float(found[-1]), SMALLEST * high), high / 2), rates
    return rates, block[:, :n_modes]


def _filter(laplacian: Tensor, block: Tensor, low: float, high: float) -> Tensor:
    """Return T_d((L - c) / e) times a block: at most 1 from `low` to `high`, large below."""
    center, half = (low + high) / 2, max((high - low) / 2, 1e-30)
    degree = min(LARGEST_DEGREE, math.ceil(GROWTH / math.acosh(center / half)))

    def filter_columns(before: Tensor) -> Tensor:
        now = product(laplacian, before).sub_(before, alpha=center).div_(half)
        for _ in range(degree - 1):
            after = product(laplacian, now).sub_(now, alpha=center).mul_(2 / half).sub_(before)
            before, now = now, after
        return now / now.norm(dim=0).clamp(min=1e-30)

    return torch.cat(share(filter_columns, column_blocks(block)), dim=1)


def _without(constant: sparse.csr_array, block: Tensor) -> Tensor:
    """Return a block without what it has of the constant vectors."""
    columns = block.numpy()
    return torch.from_numpy((columns - constant @ (constant.T @ columns)).astype(np.float32))
