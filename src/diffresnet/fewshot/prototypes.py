"""Prototypes: one point a class, the mean of its support, or better (Appendix E.3.1)."""

import torch
from torch import Tensor
from torch.nn import functional

from diffresnet.fewshot.episodes import Episodes


def members_of(episodes: Episodes) -> Tensor:
    """Return who of the support is in which class, (T, n_classes, n_support), 1 or 0."""
    hot = functional.one_hot(episodes.labels.long(), episodes.n_classes)
    return hot.to(episodes.support.dtype).mT.contiguous()


def class_means(episodes: Episodes) -> Tensor:
    """Return the mean m_c of the support of each class, (T, n_classes, d)."""
    members = members_of(episodes)
    return (members @ episodes.support) / members.sum(dim=-1, keepdim=True)


def prototypes_of(episodes: Episodes) -> Tensor:
    """Return the rectified prototypes if there are any, or else the class means."""
    return class_means(episodes) if episodes.rectified is None else episodes.rectified


def rectified_prototypes(episodes: Episodes, scale: float = 10.0) -> Tensor:
    """Return prototypes that the queries have a part in, m~_c (Appendix E.3.1).

    As the paper's program does: c_ik = scale cos(x_i, m_k) for all points; each point belongs to
    its best class; m~_k is the mean over the points of the class of softmax_k(c_ik) x_i. A class
    that receives no point keeps its mean.

    Args:
        episodes: with features as they are after the transforms.
        scale: 10 in the program; the paper's text has none.

    Returns:
        (T, n_classes, d).
    """
    means, points = class_means(episodes), episodes.points
    cosines = functional.normalize(points, dim=-1) @ functional.normalize(means, dim=-1).mT
    chances = (scale * cosines).softmax(dim=-1)
    best = chances.max(dim=-1, keepdim=True)
    shares = torch.zeros_like(chances).scatter_(-1, best.indices, best.values)
    counts = (shares > 0).sum(dim=1).unsqueeze(-1)
    return torch.where(counts > 0, (shares.mT @ points) / counts.clamp(min=1), means)


def squared_distances(points: Tensor, prototypes: Tensor) -> Tensor:
    """Return |x_i - p_k|^2, (T, n_classes, n), by one product."""
    own = points.square().sum(dim=-1).unsqueeze(-2)
    return (own - affinities(points, prototypes)).clamp(min=0)


def affinities(points: Tensor, prototypes: Tensor) -> Tensor:
    """Return 2 x.p - |p|^2, (T, n_classes, n): -|x - p|^2 but for a term that classes share."""
    norms = prototypes.square().sum(dim=-1, keepdim=True)
    return torch.baddbmm(-norms, prototypes, points.mT, alpha=2)


def mixture_affinities(mixtures: Tensor, gram: Tensor) -> Tensor:
    """Return `affinities` of prototypes that are weighted sums of the points themselves.

    Args:
        mixtures: (T, n_classes, N) the weights.
        gram: (T, N, N) the inner products of the points.
    """
    products = mixtures @ gram
    return 2 * products - (products * mixtures).sum(dim=-1, keepdim=True)


def mixtures_of(members: Tensor, shares: Tensor) -> Tensor:
    """Return the weights of means over the support and, by their shares, the queries.

    Args:
        members: (T, n_classes, n_support), see `members_of`.
        shares: (T, n_classes, n_query) how much of each query belongs to the class.
    """
    both = torch.cat([members, shares], dim=-1)
    return both / both.sum(dim=-1, keepdim=True)
