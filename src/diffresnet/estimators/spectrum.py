"""The slow modes of diffusion: every strength from one decomposition."""

from dataclasses import dataclass

import numpy as np
import torch
from scipy.sparse.linalg import eigsh
from torch import Tensor

from diffresnet import _matrix as mx
from diffresnet.diffusion import DiffusionOperator

TOLERANCE = 1e-2
"""Of the eigenvalues, relative: what they are good for needs no more."""


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
        """Decompose; all modes if `n_modes` is not below the number of points."""
        laplacian = mx.to_scipy(operator.laplacian)
        n_points = operator.n_points
        if n_modes >= n_points - 1 or n_points < 200:
            rates, modes = np.linalg.eigh(laplacian.toarray())
            rates, modes = rates[:n_modes], modes[:, :n_modes]
        else:
            start = np.random.default_rng(0).standard_normal(n_points).astype(laplacian.dtype)
            largest, modes = eigsh(-laplacian, k=n_modes, which="LA", tol=TOLERANCE, v0=start)
            order = np.argsort(-largest)
            rates, modes = -largest[order], modes[:, order]
        kind = operator.degrees
        return cls(
            torch.from_numpy(rates.copy()).to(kind).clamp(min=0),
            torch.from_numpy(modes.copy()).to(kind),
        )

    def decay(self, step_size: float, n_steps: int) -> Tensor:
        """Return what `n_steps` steps of diffusion leave of each mode, (m,)."""
        return (1 - step_size * self.rates).pow(n_steps)
