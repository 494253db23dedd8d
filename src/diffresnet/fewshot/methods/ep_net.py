"""EPNet: features, then labels, propagated over a graph of all points (Rodriguez 2020)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from diffresnet._support.settings import Probability, check_settings
from diffresnet.fewshot.episodes import Episodes
from diffresnet.graph.distances import distances_from_gram
from diffresnet.graph.normalization import balance_dense
from diffresnet.learning.propagation import resolvent

OFFSET = 1e-4


@dataclass(frozen=True)
class EpNet:
    """Propagate embeddings x <- P x, then labels, with P = (I - alpha S)^-1.

    S is the symmetrically normalized graph of exp(-s_ij / std(s)), s_ij = |x_i - x_j|^2 / sqrt(d).

    Attributes:
        embedding_alpha: alpha for the embeddings.
        label_alpha: alpha for the labels, on the graph of the propagated embeddings.
    """

    embedding_alpha: Probability = 0.5
    label_alpha: Probability = 0.2

    __post_init__ = check_settings

    def __call__(self, episodes: Episodes) -> Tensor:
        """Return the scores (T, n_query, n_classes)."""
        points = _propagator(episodes.points, self.embedding_alpha) @ episodes.points
        spread = _propagator(points, self.label_alpha)
        spread = spread / spread.abs().sum(dim=-1, keepdim=True)
        n_support = episodes.n_support
        return (spread[:, n_support:, :n_support] @ episodes.members.mT + 1e-6).log()


def _propagator(points: Tensor, alpha: float) -> Tensor:
    apart = distances_from_gram(points @ points.mT, points).square() / points.shape[2] ** 0.5
    return resolvent(balance_dense(torch.exp(-apart / _deviation(apart)), OFFSET), alpha)


def _deviation(values: Tensor) -> Tensor:
    """Return the standard deviation of the positive values of each task, or 1 where it is 0."""
    there = values > 0
    counts = there.sum(dim=(-2, -1), keepdim=True)
    means = values.sum(dim=(-2, -1), keepdim=True) / counts.clamp(min=1)
    squares = torch.where(there, (values - means).square(), 0).sum(dim=(-2, -1), keepdim=True)
    deviation = (squares / (counts - 1).clamp(min=1)).sqrt()
    return torch.where(deviation > 0, deviation, 1)
