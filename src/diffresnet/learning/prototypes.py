"""Prototypes on the unit sphere, refined by the points that have no label."""

import torch
from torch import Tensor
from torch.nn.functional import normalize

N_ROUNDS = 30
RATE = 0.3


def class_means(points: Tensor, classes: Tensor, n_classes: int) -> Tensor:
    """Return the mean of the points of each class, (n_classes, d).

    Args:
        points: (n, d) labeled points.
        classes: (n,) at least one of each class.
        n_classes: K.
    """
    sums = points.new_zeros(n_classes, points.shape[1]).index_add_(0, classes, points)
    return sums / torch.bincount(classes, minlength=n_classes).clamp(min=1).unsqueeze(1)


def refine_prototypes(
    points: Tensor,
    prototypes: Tensor,
    sharpness: float,
    *,
    known: Tensor,
    labels: Tensor,
    n_rounds: int = N_ROUNDS,
) -> Tensor:
    """Move prototypes to the points that they attract: soft k-means on the sphere.

    In each round a point belongs to the classes by softmax(sharpness <x, p>), a labeled point to
    its own; then each prototype goes part of the way (`RATE`) to the mean of its points.

    Args:
        points: (N, d) of length one.
        prototypes: (K, d) at the start.
        sharpness: the larger, the harder points are assigned.
        known: (n,) which points have a label.
        labels: (n,) their classes.
        n_rounds: how often.

    Returns:
        The prototypes, (K, d), of length one.
    """
    for _ in range(n_rounds):
        shares = (sharpness * (points @ prototypes.mT)).softmax(dim=1)
        shares[known] = 0
        shares[known, labels] = 1
        means = normalize(shares.mT @ points, dim=1)
        prototypes = normalize(torch.lerp(prototypes, means, RATE), dim=1)
    return prototypes


def score_without_own(points: Tensor, classes: Tensor, n_classes: int) -> Tensor:
    """Score every labeled point by class means that were made without it, in closed form.

    Args:
        points: (n, d) labeled points, of length one.
        classes: (n,) at least one of each class.
        n_classes: K.

    Returns:
        <x, m_k> - |m_k|^2 / 2, (n, K), with the means m without x; -infinity for its own class if
        a point is the only one of it.
    """
    gram = points @ points.mT
    own = torch.nn.functional.one_hot(classes, n_classes).to(points)
    counts = own.sum(dim=0).expand_as(own).clone()
    sums = gram @ own  # <x_i, s_k>
    squares = (own.mT @ sums).diagonal().expand_as(sums).clone()  # |s_k|^2
    rows = torch.arange(len(points), device=points.device)
    # Take the point itself out of the sum of its own class.
    squares[rows, classes] -= 2 * sums[rows, classes] - gram.diagonal()
    sums[rows, classes] -= gram.diagonal()
    counts[rows, classes] -= 1
    scores = sums / counts.clamp(min=1) - squares / counts.clamp(min=1).square() / 2
    return torch.where(counts > 0, scores, -torch.inf)
