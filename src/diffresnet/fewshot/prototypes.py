"""Prototypes of episodes: the mean of the support of each class, or better (Appendix E.3.1)."""

import torch
from torch import Tensor
from torch.nn import functional

from diffresnet.fewshot.episodes import Episodes
from diffresnet.learning.prototypes import class_means


def support_means(episodes: Episodes) -> Tensor:
    """Return the mean m_c of the support of each class, (T, n_classes, d)."""
    return class_means(episodes.support, episodes.members)


def prototypes_of(episodes: Episodes) -> Tensor:
    """Return the rectified prototypes if there are any, or else the class means."""
    return support_means(episodes) if episodes.rectified is None else episodes.rectified


def rectified_prototypes(episodes: Episodes, scale: float = 10.0) -> Tensor:
    """Return prototypes that the queries have a part in, m~_c (Appendix E.3.1).

    As the authors' code does: c_ik = scale cos(x_i, m_k) for all points; each point belongs to its
    best class; m~_k is the mean over the points of the class of softmax_k(c_ik) x_i. A class that
    receives no point keeps its mean.

    Args:
        episodes: with features as they are after the transforms.
        scale: 10 in the code; the paper's text has none.

    Returns:
        (T, n_classes, d).
    """
    means, points = support_means(episodes), episodes.points
    cosines = functional.normalize(points, dim=-1) @ functional.normalize(means, dim=-1).mT
    probabilities = (scale * cosines).softmax(dim=-1)
    best = probabilities.max(dim=-1, keepdim=True)
    kept = torch.zeros_like(probabilities).scatter_(-1, best.indices, best.values)
    counts = (kept > 0).sum(dim=1).unsqueeze(-1)
    return torch.where(counts > 0, (kept.mT @ points) / counts.clamp(min=1), means)
