"""The kernel of the network for nodes in the limit of infinite width, and points that have it.

For x + relu(FC1 x) without a second layer, torch's default initialization (all parameters uniform,
of variance 1/(3 F)) and an output W3 h + b3, the inner products of the gradients are, before
diffusion and without the constant of b3,

    K = G + k1 + s m' + m s' + (G + 1) k0 / 3,

with G = X X', S = (G + 1)/3, theta the angle between two nodes as S sees them,
k1 = sqrt(S_ii S_jj) (sin theta + (pi - theta) cos theta) / (2 pi), k0 = (pi - theta) / (2 pi).
The terms G, k1 and s m' belong to W3; the last one to FC1. relu(FC1 x) has the mean
m_i = sqrt(S_ii / (2 pi F)) in every coordinate, so that it is not orthogonal to x, whose
coordinates sum to s_i: unlike in the network for tasks, where a second layer turns it at random.
"""

import math

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

SMALLEST = 1e-6
"""Eigenvalues below this part of the largest one are left out."""


def node_kernel(left: sparse.csr_array, right: sparse.csr_array) -> Tensor:
    """Return the kernel (n, m) between two sets of nodes, given their features.

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
    scales = torch.outer(*variances).sqrt()
    cosines = ((gram + 1) / 3 / scales).clamp(-1, 1)
    opening = math.pi - cosines.acos()
    both = scales * ((1 - cosines.square()).sqrt() + opening * cosines) / (2 * math.pi)
    mixed = torch.outer(sums[0], means[1]) + torch.outer(means[0], sums[1])
    return gram + both + mixed + (gram + 1) * opening / (6 * math.pi)


def kernel_points(features: sparse.csr_array, n_landmarks: int) -> Tensor:
    """Return points (N, d) whose inner products are the kernel of the nodes (Nystrom's method).

    Exact up to rounding with as many landmarks as nodes; else the kernel's projection on what the
    landmarks, drawn with a fixed seed, span.
    """
    n_nodes = features.shape[0]
    drawn = np.random.default_rng(0).permutation(n_nodes)[:n_landmarks]
    chosen = features[np.sort(drawn)]
    values, vectors = torch.linalg.eigh(node_kernel(chosen, chosen).double())
    large = values > SMALLEST * values.max()
    inverse_root = (vectors[:, large] / values[large].sqrt()).float()
    blocks = [
        node_kernel(features[start : start + 1024], chosen) @ inverse_root
        for start in range(0, n_nodes, 1024)
    ]
    return torch.cat(blocks)
