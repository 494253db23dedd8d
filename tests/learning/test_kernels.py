import math

import numpy as np
import torch
from scipy import sparse
from torch import nn

from diffresnet.learning.kernels import kernel_points, node_kernel


def features() -> sparse.csr_array:
    random = np.random.default_rng(0)
    rows = (random.random((6, 5)) < 0.5).astype(np.float32)
    rows[0] = 0  # a node without any word
    return sparse.csr_array(rows / np.maximum(rows.sum(axis=1, keepdims=True), 1))


def test_equals_the_gradients_of_wide_networks() -> None:
    """The mean over many networks of the inner products of gradients, with output W3 h + b3."""
    x = torch.from_numpy(features().toarray()).double()
    n_nodes, n_features = x.shape
    torch.manual_seed(0)
    total = torch.zeros(n_nodes, n_nodes, dtype=torch.float64)
    n_networks = 4000
    for _ in range(n_networks):
        first = nn.Linear(n_features, n_features).double()
        last = (2 * torch.rand(n_features).double() - 1) / math.sqrt(n_features)
        before = first(x)
        hidden, on = x + before.relu(), (before > 0).double()
        through = on * last
        total += hidden @ hidden.mT + (through @ through.mT) * (x @ x.mT + 1)
    found = node_kernel(features(), features()).double()
    # The formula takes the first layer's outputs for normal; with 5 inputs they nearly are.
    assert torch.allclose(found, total / n_networks, rtol=0.03, atol=0.01)


def test_points_have_the_kernel() -> None:
    points = kernel_points(node_kernel, features(), 6)
    assert torch.allclose(points @ points.mT, node_kernel(features(), features()), atol=1e-4)
    fewer = kernel_points(node_kernel, features(), 3)
    assert fewer.shape == (6, 3)
