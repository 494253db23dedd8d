"""Eigenvalues and slow modes of the Laplacian: what decides how far and how fast diffusion goes."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs, eigsh
from torch import Tensor

from diffresnet.diffusion.subspace import slowest_modes
from diffresnet.graph import matrix as mx

DENSE_EIGENVALUES = 256
"""Up to this many points, all eigenvalues at once cost less than an iteration for one."""

LANCZOS_RESTARTS = 50
"""How often the iteration for the largest eigenvalue starts anew before it is given up."""

DENSE_MODES = 200
MOST_COMPONENTS = 1000

Floats = npt.NDArray[Any]


def largest_eigenvalue(matrix: Tensor) -> float:
    """Return the largest eigenvalue of a symmetric matrix, or of a batch of them.

    One large matrix takes a Lanczos iteration, from a fixed start, so that the result is the same
    every time; where that does not settle, the bound of Gershgorin's discs stands in.
    """
    if matrix.shape[-1] <= DENSE_EIGENVALUES or matrix.ndim == 3:
        return float(torch.linalg.eigvalsh(matrix.to_dense()).max())
    array = mx.to_scipy(matrix) if mx.is_csr(matrix) else matrix.cpu().numpy()
    try:
        return _largest(array.astype(np.float64), 1e-7, LANCZOS_RESTARTS)
    except ArpackNoConvergence:
        return float(abs(array).sum(axis=1).max())


def least_positive_eigenvalue(laplacian: sparse.csr_array) -> float:
    """Return the least positive eigenvalue of a symmetric Laplacian, in float64.

    Raises:
        ArpackNoConvergence: if the iteration does not settle.
    """
    return -_largest(_without_constant_modes(laplacian, _constant_modes(laplacian)), 1e-6)


def _largest(matrix: Any, tolerance: float, n_restarts: int | None = None) -> float:
    """Return the largest eigenvalue, by an iteration from a fixed start."""
    solve = partial(eigsh, k=1, which="LA", tol=tolerance, maxiter=n_restarts)
    return float(solve(matrix, v0=_start(matrix.shape[0]), return_eigenvectors=False)[0])


def outermost_eigenvalues(
    laplacian: sparse.csr_array, n_constant: int
) -> npt.NDArray[np.complex128]:
    """Return some eigenvalues nearest to 0 but not 0, and the largest one in size.

    Args:
        laplacian: (N, N), of a directed graph.
        n_constant: how often 0 is an eigenvalue.

    Raises:
        ArpackNoConvergence: if the iteration does not settle.
    """
    bound = 2 * float(laplacian.diagonal().max())
    identity = sparse.eye_array(laplacian.shape[0], format="csr")
    shifted = sparse.csr_array(identity - laplacian * (1 / bound))
    start = _start(laplacian.shape[0])
    found = eigs(shifted, k=n_constant + 4, which="LM", v0=start, return_eigenvectors=False)
    largest = eigs(laplacian, k=1, which="LM", v0=start, return_eigenvectors=False)
    values = bound * (1 - found)
    moving = values[np.abs(values) > 1e-8 * bound]  # of equal ones the iteration may miss some
    return np.append(moving[np.argsort(np.abs(moving))], largest).astype(np.complex128)


@dataclass(frozen=True)
class Spectrum:
    """The eigenvectors of Lambda - W with the smallest eigenvalues.

    Diffusion multiplies the mode k by 1 - step_size rates[k] in each step, so that
    `modes * decay` are the points' identities (the rows of the unit matrix), diffused: points of
    the same region of the graph have rows that are alike.

    Attributes:
        rates: (m,) eigenvalues, from 0 up.
        modes: (N, m) eigenvectors.
    """

    rates: Tensor
    modes: Tensor

    @classmethod
    def of(cls, laplacian: Tensor, n_modes: int) -> "Spectrum":
        """Decompose a CSR Laplacian; `n_modes` modes beside the constant one of each component."""
        array, n_points = mx.to_scipy(laplacian), laplacian.shape[0]
        if n_points < DENSE_MODES or n_modes > n_points // 2:
            rates, modes = (torch.from_numpy(part) for part in np.linalg.eigh(array.toarray()))
        else:
            constant = _constant_modes(array)
            rates, modes = torch.zeros(constant.shape[1]), torch.from_numpy(constant.toarray())
            moving = min(n_modes, n_points - constant.shape[1] - 1)
            if moving > 0:
                found, others = slowest_modes(laplacian, constant, moving)
                rates, modes = torch.cat([rates, found]), torch.cat([modes, others], dim=1)
        values = laplacian.values()
        return cls(rates.clamp(min=0).to(values), modes.to(values))

    def decay(self, step_size: float, n_steps: int) -> Tensor:
        """Return what `n_steps` steps of diffusion leave of each mode, (m,)."""
        return (1 - step_size * self.rates).pow(n_steps)


def _start(n_points: int) -> npt.NDArray[np.float64]:
    return np.random.default_rng(0).standard_normal(n_points)


def _constant_modes(laplacian: sparse.csr_array) -> sparse.csr_array:
    """Return what never decays: the indicator of each component of the graph, of length one.

    Of very many components the largest.
    """
    n_points = laplacian.shape[0]
    components = connected_components(laplacian, directed=False)[1]
    sizes = np.bincount(components)
    largest = np.argsort(-sizes, kind="stable")[:MOST_COMPONENTS]
    column = np.full(len(sizes), -1)
    column[largest] = np.arange(len(largest))
    rows = np.flatnonzero(column[components] >= 0)
    values = (1 / np.sqrt(sizes[components[rows]])).astype(laplacian.dtype)
    shape = (n_points, len(largest))
    return sparse.csr_array((values, (rows, column[components[rows]])), shape=shape)


def _without_constant_modes(laplacian: sparse.csr_array, constant: sparse.csr_array) -> Any:
    """Return minus the Laplacian, with the constant modes moved beyond all eigenvalues."""
    n_points = laplacian.shape[0]
    far = 4 * float(laplacian.diagonal().max())

    def apply(x: Floats) -> Floats:
        column = np.reshape(x, -1)
        return -(laplacian @ column) - far * (constant @ (constant.T @ column))

    return LinearOperator((n_points, n_points), matvec=apply, dtype=laplacian.dtype)
