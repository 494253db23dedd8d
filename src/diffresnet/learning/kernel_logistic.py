"""Logistic regression with kernels, many ridges at a time, by a method without a step size."""

import math

import torch
from torch import Tensor
from torch.nn.functional import one_hot

N_ROUNDS = 100
SMALLEST = 1e-7
"""Eigenvalues of a kernel below this part of the largest one are left out."""


def kernel_coordinates(rows: Tensor, among: Tensor) -> Tensor:
    """Return coordinates (N, r) of points whose inner products with the labeled ones are a kernel.

    Those of the labeled points are the eigenvectors of their kernel times the roots of its
    eigenvalues: columns that are orthogonal, as `fit_coordinates` wants them.

    Args:
        rows: (N, n) the kernel of all points with the labeled ones.
        among: (n, n) that of the labeled ones.
    """
    values, vectors = torch.linalg.eigh(among.double())
    large = values > SMALLEST * values.max().clamp(min=1e-30)
    scaled = vectors[:, large] / values[large].sqrt()
    return rows @ scaled.to(rows)


def fit_coordinates(points: Tensor, labels: Tensor, n_classes: int, ridges: Tensor) -> Tensor:
    """Minimize mean cross entropy + ridge / 2 |w|^2 of linear scores, for every ridge.

    Where the columns of the points are orthogonal, the Hessian of the loss is at most half of the
    diagonal matrix of their squared lengths over n (Boehning's bound), whatever the scores: so each
    column has its own step size, and Nesterov's method converges in some tens of rounds.

    Args:
        points: (n, r) labeled points, columns orthogonal.
        labels: (n,) their classes.
        n_classes: K.
        ridges: (R,) positive.

    Returns:
        w, (r, R * K): the scores of any point are its coordinates times these.
    """
    # One row for each class and ridge, so that a softmax over classes runs along long columns.
    n_labeled, n_ridges, turned = len(labels), len(ridges), points.mT.contiguous()
    targets = one_hot(labels, n_classes).to(points).mT.repeat_interleave(n_ridges, dim=0)
    ridge = ridges.to(points).repeat(n_classes).unsqueeze(1)
    bound = points.square().sum(dim=0) / (2 * n_labeled) + ridge
    now = ahead = points.new_zeros(n_classes * n_ridges, points.shape[1])
    momentum = 1.0
    for _ in range(N_ROUNDS):
        scores = (ahead @ turned).view(n_classes, -1)
        errors = scores.softmax(dim=0).view(-1, n_labeled) - targets
        following = ahead - (errors @ points / n_labeled + ridge * ahead) / bound
        before, momentum = momentum, (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        ahead = following + (before - 1) / momentum * (following - now)
        now = following
    by_ridge = now.view(n_classes, n_ridges, -1).transpose(0, 1)
    return by_ridge.reshape(n_ridges * n_classes, -1).mT


def score_kernel(
    rows: Tensor, labeled: Tensor, labels: Tensor, n_classes: int, ridges: Tensor
) -> Tensor:
    """Return the scores (R, N, K) of all points for every ridge, by kernel logistic regression.

    It minimizes mean cross entropy + ridge / 2 |f|^2. With fewer columns than labeled points, f is
    spanned by those that have one.

    Args:
        rows: (N, m) the kernel of all points with the first m labeled ones, m <= n.
        labeled: (n,) which points are labeled.
        labels: (n,) the classes of these.
        n_classes: K.
        ridges: (R,) positive.

    Examples:
        >>> eye, both = torch.eye(2), torch.tensor([0, 1])
        >>> score_kernel(eye, both, both, 2, torch.ones(1))[0].argmax(dim=1)
        tensor([0, 1])
    """
    n_columns = rows.shape[1]
    points = kernel_coordinates(rows, rows[labeled[:n_columns]])
    if n_columns < len(labeled):
        own = points[labeled].double()
        points = points @ torch.linalg.eigh(own.mT @ own)[1].to(points)
    found = fit_coordinates(points[labeled], labels, n_classes, ridges)
    return (points @ found).view(len(rows), len(ridges), n_classes).transpose(0, 1)
