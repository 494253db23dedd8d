"""Logistic regression with kernels, many at a time, by a method that needs no step size."""

import math

import torch
from torch import Tensor
from torch.nn.functional import one_hot

N_ROUNDS = 100
SMALLEST = 1e-10


def fit_kernels(kernels: Tensor, labels: Tensor, n_classes: int, ridges: Tensor) -> Tensor:
    """Minimize mean cross entropy + ridge / 2 |f|^2 for every kernel and every ridge.

    In the eigenvectors of a kernel, the Hessian of the loss is at most half of the diagonal matrix
    of eigenvalues over n (Boehning's bound), whatever the scores: so each direction has its own
    step size, and Nesterov's method converges in some tens of rounds.

    Args:
        kernels: (B, n, n) among the labeled points.
        labels: (n,) their classes.
        n_classes: K.
        ridges: (R,) positive.

    Returns:
        The coefficients (B, R, n, K): the scores of any point are its kernel with the labeled
        points times these.

    Examples:
        >>> found = fit_kernels(torch.eye(2).unsqueeze(0), torch.tensor([0, 1]), 2, torch.ones(1))
        >>> found[0, 0].argmax(dim=1)
        tensor([0, 1])
    """
    n_labeled = len(labels)
    values, vectors = torch.linalg.eigh(kernels.double())
    values = values.clamp(min=SMALLEST)[:, None]  # (B, 1, n)
    vectors = vectors[:, None]  # (B, 1, n, n)
    points = vectors * values.sqrt().unsqueeze(-2)
    targets = one_hot(labels, n_classes).double()
    ridge = ridges.double().view(1, -1, 1, 1)
    bound = values.unsqueeze(-1) / (2 * n_labeled) + ridge
    shape = (len(kernels), len(ridges), n_labeled, n_classes)
    now = ahead = torch.zeros(shape, dtype=torch.float64, device=kernels.device)
    momentum = 1.0
    for _ in range(N_ROUNDS):
        errors = (points @ ahead).softmax(dim=-1) - targets
        gradient = points.mT @ errors / n_labeled + ridge * ahead
        following = ahead - gradient / bound
        before, momentum = momentum, (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        ahead = following + (before - 1) / momentum * (following - now)
        now = following
    return (vectors @ (now / values.sqrt().unsqueeze(-1))).to(kernels)
