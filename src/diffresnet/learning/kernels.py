"""Kernels of networks of infinite width: inner products of their gradients where they start.

For torch's default initialization (all parameters of a layer uniform, of variance 1/(3 M)), with
the inner products G = X X' and S = (G + 1)/3, theta the angle between two points as S sees them,
k1 = sqrt(S_ii S_jj) (sin theta + (pi - theta) cos theta) / (2 pi) and k0 = (pi - theta) / (2 pi),
the arc-cosine kernels of order one and zero:

- x + FC2 relu(FC1 x), the network for points: G + 2/3 k1 + 1/3 + (G + 1) k0 / 9. The terms belong
  to the classifier W3 (G, half of k1, 1/3), to W2 (the other half), and to W1 and b1 (k0).
- x + relu(FC1 x), the network for nodes: G + k1 + s m' + m s' + (G + 1) k0 / 3. relu(FC1 x) has the
  mean m_i = sqrt(S_ii / (2 pi F)) in each of F coordinates, so that it is not orthogonal to x,
  whose coordinates sum to s_i; in the other network a second layer turns it at random.

Diffusion P after the block makes K of them P K P', plus the constant of biases behind it.
"""

import math
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

SMALLEST = 1e-6
"""Eigenvalues below this part of the largest one are left out."""

BLOCK_ROWS = 1024


def arc_cosine(covariance: Tensor, left: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
    """Return k0 and k1 of two sets of points.

    Args:
        covariance: (..., n, m) S of the points.
        left: (..., n) variances S_ii of the first.
        right: (..., m) those of the second.

    Examples:
        >>> k0, k1 = arc_cosine(torch.eye(2), torch.ones(2), torch.ones(2))
        >>> k0
        tensor([[0.5000, 0.2500],
                [0.2500, 0.5000]])
    """
    scales = (left.unsqueeze(-1) * right.unsqueeze(-2)).sqrt()
    cosines = (covariance / scales).clamp(-1, 1)
    opening = math.pi - torch.acos(cosines)
    sines = (1 - cosines.square()).sqrt()
    return opening / (2 * math.pi), scales * (sines + opening * cosines) / (2 * math.pi)


def residual_kernel(
    gram: Tensor, left: Tensor | None = None, right: Tensor | None = None
) -> Tensor:
    """Return G + 2/3 k1 + 1/3 + (G + 1) k0 / 9, the kernel of a block before diffusion.

    Args:
        gram: (..., n, m) inner products of the points.
        left: (..., n) squared norms of the first ones; the diagonal of `gram` by default.
        right: (..., m) those of the second ones.

    Examples:
        >>> residual_kernel(torch.eye(2))
        tensor([[1.6667, 0.5057],
                [0.5057, 1.6667]])
    """
    left = gram.diagonal(dim1=-2, dim2=-1) if left is None else left
    right = gram.diagonal(dim1=-2, dim2=-1) if right is None else right
    k0, k1 = arc_cosine((gram + 1) / 3, (left + 1) / 3, (right + 1) / 3)
    return gram + 2 / 3 * k1 + 1 / 3 + (gram + 1) * k0 / 9


def node_kernel(left: sparse.csr_array, right: sparse.csr_array) -> Tensor:
    """Return G + k1 + s m' + m s' + (G + 1) k0 / 3, (n, m), of two sets of nodes with features.

    Examples:
        >>> eye = sparse.csr_array(np.eye(2, dtype=np.float32))
        >>> node_kernel(eye, eye)
        tensor([[2.1273, 0.7748],
                [0.7748, 2.1273]])
    """
    n_features = left.shape[1]
    gram = torch.from_numpy((left @ right.T).toarray())
    sums, variances, means = [], [], []
    for part in (left, right):
        squares = torch.from_numpy(np.asarray(part.multiply(part).sum(axis=1)).ravel()).to(gram)
        sums.append(torch.from_numpy(np.asarray(part.sum(axis=1)).ravel()).to(gram))
        variances.append((squares + 1) / 3)
        means.append((variances[-1] / (2 * math.pi * n_features)).sqrt())
    k0, k1 = arc_cosine((gram + 1) / 3, variances[0], variances[1])
    mixed = torch.outer(sums[0], means[1]) + torch.outer(means[0], sums[1])
    return gram + k1 + mixed + (gram + 1) * k0 / 3


Points = TypeVar("Points", sparse.csr_array, Tensor)


def kernel_points(
    kernel: Callable[[Points, Points], Tensor], points: Points, n_landmarks: int
) -> Tensor:
    """Return points (N, d) whose inner products are a kernel (Nystrom's method).

    Exact up to rounding with as many landmarks as points; else the kernel's projection on what the
    landmarks, drawn with a fixed seed, span.

    Args:
        kernel: of two sets of points.
        points: (N, M) dense, or sparse.
        n_landmarks: how many of the points stand for all of them.
    """
    n_points = points.shape[0]
    drawn = np.random.default_rng(0).permutation(n_points)[:n_landmarks]
    chosen: Points = points[np.sort(drawn)]  # pyright: ignore[reportAssignmentType]
    values, vectors = torch.linalg.eigh(kernel(chosen, chosen).double())
    large = values > SMALLEST * values.max()
    inverse_root = (vectors[:, large] / values[large].sqrt()).float()
    blocks = [
        kernel(points[start : start + BLOCK_ROWS], chosen) @ inverse_root  # pyright: ignore[reportArgumentType]
        for start in range(0, n_points, BLOCK_ROWS)
    ]
    return torch.cat(blocks)
