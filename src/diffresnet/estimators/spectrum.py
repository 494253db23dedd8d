"""The slow modes of diffusion: every strength from one decomposition."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigsh
from torch import Tensor

from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.graph import matrix as mx

TOLERANCE = 1e-2
"""Of the eigenvalues, relative: what they are good for needs no more."""

DENSE_BELOW = 200
MOST_PARTS = 1000


@dataclass(frozen=True)
class Spectrum:
    """The eigenvectors of Lambda - W with the smallest eigenvalues.

    Diffusion multiplies the mode k by 1 - step_size rates[k] in each step, so that
    `modes * decay` are the points' identities (the rows of the unit matrix), diffused: points that
    share a part of the graph have rows that are alike.

    Attributes:
        rates: (m,) eigenvalues, from 0 up.
        modes: (N, m) eigenvectors.
    """

    rates: Tensor
    modes: Tensor

    @classmethod
    def of(cls, operator: DiffusionOperator, n_modes: int) -> "Spectrum":
        """Decompose; `n_modes` modes beside the constant one of each part of the graph."""
        laplacian = mx.to_scipy(operator.laplacian)
        n_points, kind = operator.n_points, operator.degrees
        if n_points < DENSE_BELOW or n_modes > n_points // 2:
            rates, modes = np.linalg.eigh(laplacian.toarray())
        else:
            still = _constant_modes(laplacian)
            moving = min(n_modes, n_points - still.shape[1] - 1)
            rates = np.zeros(still.shape[1], dtype=laplacian.dtype)
            modes = still.toarray()
            if moving > 0:
                found, others = _slowest_modes(laplacian, still, moving)
                rates = np.concatenate([rates, found])
                modes = np.concatenate([modes, others], axis=1)
        return cls(
            torch.from_numpy(rates.copy()).to(kind).clamp(min=0),
            torch.from_numpy(modes.copy()).to(kind),
        )

    def decay(self, step_size: float, n_steps: int) -> Tensor:
        """Return what `n_steps` steps of diffusion leave of each mode, (m,)."""
        return (1 - step_size * self.rates).pow(n_steps)


def _constant_modes(laplacian: sparse.csr_array) -> sparse.csr_array:
    """Return what never decays: the indicator of each part of the graph, of length one.

    Of very many parts the largest.
    """
    n_points = laplacian.shape[0]
    parts = connected_components(laplacian, directed=False)[1]
    sizes = np.bincount(parts)
    largest = np.argsort(-sizes, kind="stable")[:MOST_PARTS]
    column = np.full(len(sizes), -1)
    column[largest] = np.arange(len(largest))
    rows = np.flatnonzero(column[parts] >= 0)
    values = (1 / np.sqrt(sizes[parts[rows]])).astype(laplacian.dtype)
    shape = (n_points, len(largest))
    return sparse.csr_array((values, (rows, column[parts[rows]])), shape=shape)


def _slowest_modes(
    laplacian: sparse.csr_array, still: sparse.csr_array, n_modes: int
) -> tuple[Any, Any]:
    """Return the least positive eigenvalues and their vectors."""
    n_points = laplacian.shape[0]
    far = 4 * float(laplacian.diagonal().max())  # beyond every eigenvalue

    def apply(x: Any) -> Any:
        return -(laplacian @ x) - far * (still @ (still.T @ x))

    shifted: Any = LinearOperator((n_points, n_points), matvec=apply, dtype=laplacian.dtype)
    start = np.random.default_rng(0).standard_normal(n_points).astype(laplacian.dtype)
    try:
        largest, modes = eigsh(shifted, k=n_modes, which="LA", tol=TOLERANCE, v0=start)
    except ArpackNoConvergence as error:
        largest, modes = error.eigenvalues, error.eigenvectors
    except ArpackError:  # cliques, all modes of which decay alike: none is slow
        return np.zeros(0, laplacian.dtype), np.zeros((n_points, 0), laplacian.dtype)
    order = np.argsort(-largest)
    return -largest[order], modes[:, order]
