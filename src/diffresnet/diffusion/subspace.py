"""The slowest modes of a graph, all at once: subspace iteration with a Chebyshev filter.

A block of vectors is multiplied by a polynomial of the Laplacian that is large where it is slow,
and rotated so that each vector is a mode (Rayleigh-Ritz); again and again, until the rates settle
(Zhou, Saad, Tiago and Chelikowsky, *Self-consistent-field calculations using Chebyshev-filtered
subspace iteration*). A large graph starts from the modes of a smaller one like it, and takes one or
two rounds. It needs products with the Laplacian only, and little more memory than the block has.
"""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from diffresnet.diffusion.aggregation import Level, make_levels
from diffresnet.diffusion.rayleigh_ritz import SymmetricMatrix
from diffresnet.graph import matrix as mx
from diffresnet.graph.product import COLUMNS

TOLERANCE = 1e-2
"""Of the rates, relative to the last round: what slow modes are good for needs no more."""

GUESS = 0.05
"""The same for smaller graphs, whose modes are a guess."""

MOST_ROUNDS = 20
FIRST_CUT = 0.05
"""What a random block is filtered from on, relative to the bound of all rates."""

SMALLEST = 1e-6
"""No rate of the block is taken for smaller, relative to the bound of all."""

GUARD = 0.1
"""The block has this part more vectors than modes are asked for, and some more."""


def slowest_modes(
    laplacian: Tensor, constant: sparse.csr_array, n_modes: int
) -> tuple[Tensor, Tensor]:
    """Return the least positive eigenvalues and their vectors, in single precision.

    Args:
        laplacian: (N, N) CSR, symmetric, with the diagonal stored.
        constant: (N, c) orthonormal vectors that never decay, which are left out: indicators of
            components, or of some of them.
        n_modes: how many; at most N - c.

    Returns:
        The rates (m,), rising, and the modes (N, m): as good as they are after `MOST_ROUNDS`.
    """
    wanted = n_modes + max(10, math.ceil(GUARD * n_modes))
    n_moving = laplacian.shape[0] - constant.shape[1]
    n_vectors = min(n_moving, math.ceil(wanted / COLUMNS) * COLUMNS)
    levels = make_levels(mx.to_scipy(laplacian), 2 * (n_vectors + constant.shape[1]))
    constants = _constants(levels, constant)
    last = SymmetricMatrix(levels[-1].laplacian, constants[-1])
    block = _random_block(last.n_points, n_vectors)
    is_only = len(levels) == 1
    found = _settle(last, block, n_modes, FIRST_CUT * last.high, TOLERANCE if is_only else GUESS)
    for one in reversed(range(len(levels) - 1)):
        _spread(levels[one], levels[one + 1], block)
        matrix = SymmetricMatrix(levels[one].laplacian, constants[one])
        tolerance = GUESS if one else TOLERANCE
        found = _settle(matrix, block, n_modes, float(found[-1]), tolerance)
    return found[:n_modes].clamp(min=0).float(), _as_given(block, levels[0], n_modes)


def _settle(
    matrix: SymmetricMatrix, block: list[Tensor], n_modes: int, low: float, tolerance: float
) -> Tensor:
    """Turn a block into modes, and return the rates of all of it.

    Args:
        matrix: whose modes.
        block: changed in place.
        n_modes: how many must be right.
        low: about the last rate of the block.
        tolerance: of the rates.
    """
    if matrix.high <= 0:  # no links at all
        matrix.remove_constant(block)
        return matrix.rotate_to_modes(block)
    found, before = torch.zeros(0), None
    for _ in range(MOST_ROUNDS):
        matrix.filter(block, min(max(low, SMALLEST * matrix.high), matrix.high / 2))
        found = matrix.rotate_to_modes(block)
        rates = found[:n_modes].clamp(min=0)
        if before is not None and bool(((before - rates).abs() <= tolerance * rates).all()):
            break
        low, before = float(found[-1]), rates
    return found


def _random_block(n_points: int, n_vectors: int) -> list[Tensor]:
    generator = torch.Generator().manual_seed(0)
    whole = torch.randn(n_points, n_vectors, generator=generator)
    return [part.contiguous() for part in whole.split(COLUMNS, dim=1)]


def _constants(levels: list[Level], constant: sparse.csr_array) -> list[sparse.csr_array]:
    """Return the constant vectors of each level, of length one."""
    found: list[Any] = [sparse.csr_array(constant[levels[0].order])]
    for level, smaller in pairwise(levels):
        places = level.group, np.arange(len(level.masses))
        join = sparse.csr_array((_shares(level, smaller), places))
        found.append(sparse.csr_array(join @ found[-1]))
    return found


def _spread(level: Level, smaller: Level, block: list[Tensor]) -> None:
    """Make a block of a level from one of the next level, which has fewer points."""
    shares, group = torch.from_numpy(_shares(level, smaller)).float(), torch.from_numpy(level.group)
    for one, part in enumerate(block):
        block[one] = part[group].mul_(shares.unsqueeze(1))


def _shares(level: Level, smaller: Level) -> Any:
    """Return the root of the share that each point has of the mass of its group."""
    return np.sqrt(level.masses / smaller.masses[level.group])


def _as_given(block: list[Tensor], level: Level, n_modes: int) -> Tensor:
    """Return the first modes (N, m) of a block, with the points as they were given."""
    modes = torch.empty(len(level.order), n_modes)
    order = torch.from_numpy(level.order).long()
    for part, columns in zip(block, modes.split(COLUMNS, dim=1), strict=False):
        columns[order] = part[:, : columns.shape[1]]
    return modes
