"""Prototypes: means of labeled points, and soft k-means, in which all points take part.

Soft k-means comes in two geometries. On the sphere, points and prototypes have length one and
belong together by their cosine; prototypes are (K, d) themselves. In the plain geometry they belong
together by squared distance, and prototypes are kept as weighted sums of the points, (T, K, N),
which for many small tasks costs less than the features.
"""

import torch
from torch import Tensor
from torch.nn import functional

from diffresnet.learning.proportions import class_biases


def members_of(classes: Tensor, n_classes: int, dtype: torch.dtype) -> Tensor:
    """Return who is in which class, 1 or 0, (..., K, n), for classes (..., n)."""
    return functional.one_hot(classes.long(), n_classes).to(dtype).mT.contiguous()


def class_means(points: Tensor, members: Tensor) -> Tensor:
    """Return the mean of the points of each class, (..., K, d).

    Args:
        points: (..., n, d) labeled points.
        members: (..., K, n) who is in which class; see `members_of`.
    """
    return (members @ points) / members.sum(dim=-1, keepdim=True).clamp(min=1)


def squared_distances(points: Tensor, prototypes: Tensor) -> Tensor:
    """Return |x_i - p_k|^2, (T, K, n), by one product."""
    own = points.square().sum(dim=-1).unsqueeze(-2)
    return (own - affinities(points, prototypes)).clamp(min=0)


def affinities(points: Tensor, prototypes: Tensor) -> Tensor:
    """Return 2 x.p - |p|^2, (T, K, n): -|x - p|^2 but for a term that classes share."""
    norms = prototypes.square().sum(dim=-1, keepdim=True)
    return torch.baddbmm(-norms, prototypes, points.mT, alpha=2)


def mixture_affinities(mixtures: Tensor, gram: Tensor) -> Tensor:
    """Return `affinities` of prototypes that are weighted sums of the points themselves.

    Args:
        mixtures: (T, K, N) the weights.
        gram: (T, N, N) the inner products of the points.
    """
    products = mixtures @ gram
    return 2 * products - (products * mixtures).sum(dim=-1, keepdim=True)


def mixtures_of(members: Tensor, membership: Tensor) -> Tensor:
    """Return the weights of means over labeled points and, by their membership, the others.

    Args:
        members: (T, K, n_labeled), see `members_of`.
        membership: (T, K, n_unlabeled) how much of each belongs to the class.
    """
    both = torch.cat([members, membership], dim=-1)
    return both / both.sum(dim=-1, keepdim=True)


def soft_kmeans(
    gram: Tensor,
    members: Tensor,
    *,
    temperature: float,
    n_rounds: int,
    rate: float,
    balance: float = 0.0,
) -> Tensor:
    """Iterate r = softmax(-temperature d^2), p = weighted means; labeled points keep their class.

    Args:
        gram: (T, N, N) inner products of all points, labeled ones first.
        members: (T, K, n_labeled), see `members_of`.
        temperature: of the membership.
        n_rounds: updates of the prototypes.
        rate: how far they move, p <- p + rate (p^ - p).
        balance: of the unlabeled points, see `proportions`; infinity makes it PT-MAP.

    Returns:
        The prototypes as weighted sums of all points, (T, K, N).
    """
    n_labeled = members.shape[-1]
    nobody = members.new_zeros(*members.shape[:2], gram.shape[-1] - n_labeled)
    mixtures, biases = mixtures_of(members, nobody), torch.zeros_like(members[..., :1])
    for _ in range(n_rounds):
        scores = temperature * mixture_affinities(mixtures, gram)[..., n_labeled:]
        biases = class_biases(scores, balance, biases)
        membership = (scores + biases).softmax(dim=1)
        mixtures = mixtures + rate * (mixtures_of(members, membership) - mixtures)
    return mixtures


def spherical_kmeans(
    points: Tensor,
    prototypes: Tensor,
    *,
    anchors: Tensor,
    sharpness: float,
    n_rounds: int,
    rate: float,
) -> Tensor:
    """Move prototypes to the points that they attract: soft k-means on the sphere.

    In each round a point belongs to the classes by softmax(sharpness <x, p>), and a labeled point
    to its own; then each prototype goes part of the way to the mean of its points.

    Args:
        points: (N, d) of length one, without a label.
        prototypes: (..., K, d) at the start, of one or several sets of labels.
        anchors: (..., K, d) the sum of the labeled points of each class.
        sharpness: the larger, the harder points are assigned.
        n_rounds: how often.
        rate: which part of the way.

    Returns:
        The prototypes, (..., K, d), of length one.
    """
    columns, sets = points.mT.contiguous(), (-1, prototypes.shape[-2], len(points))
    for _ in range(n_rounds):
        scores = sharpness * prototypes.reshape(-1, points.shape[1]) @ columns
        membership = scores.reshape(sets).softmax(dim=1)
        sums = (membership.flatten(end_dim=1) @ points).reshape(prototypes.shape) + anchors
        means = functional.normalize(sums, dim=-1)
        prototypes = functional.normalize(torch.lerp(prototypes, means, rate), dim=-1)
    return prototypes
