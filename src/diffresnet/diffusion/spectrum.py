"""The largest eigenvalue of a symmetric matrix, which bounds the step size of diffusion."""

import numpy as np
import torch
from scipy.sparse.linalg import ArpackNoConvergence, eigsh
from torch import Tensor

from diffresnet.graph.matrix import is_csr, to_scipy

DENSE_EIGENVALUES = 256
"""Up to this many points, all eigenvalues at once cost less than an iteration for one."""

LANCZOS_RESTARTS = 50
"""How often the iteration for one eigenvalue starts anew before it is given up."""


def largest_eigenvalue(matrix: Tensor) -> float:
    """Return the largest eigenvalue of a symmetric matrix, or of a batch of them.

    One large matrix takes a Lanczos iteration, from a fixed start, so that the result is the same
    every time; where that does not settle, the bound of Gershgorin's discs stands in.
    """
    if matrix.shape[-1] <= DENSE_EIGENVALUES or matrix.ndim == 3:
        return float(torch.linalg.eigvalsh(matrix.to_dense()).max())
    array = to_scipy(matrix) if is_csr(matrix) else matrix.cpu().numpy()
    start = np.random.default_rng(0).standard_normal(matrix.shape[-1])
    try:
        values = eigsh(
            array.astype(np.float64),
            k=1,
            which="LA",
            v0=start,
            tol=1e-7,
            maxiter=LANCZOS_RESTARTS,
            return_eigenvectors=False,
        )
    except ArpackNoConvergence:
        return float(abs(array).sum(axis=1).max())
    return float(values[0])
