"""UNEM for features: expectation maximization whose class proportions have a weight (Zhou 2025)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from diffresnet._support.settings import CountOrZero, NonNegative, Positive, check_settings
from diffresnet.fewshot.episodes import Episodes
from diffresnet.learning.prototypes import mixture_affinities, mixtures_of


@dataclass(frozen=True)
class Unem:
    """Iterate r = softmax((-d^2 / 2 + weight log m) / temperature), m = mean of r, p = means.

    The generalized EM for Gaussians that UNEM unrolls: `proportion_weight` is a number that its
    authors learn by gradients through the rounds, one a round, as they do the temperature; here
    each is one number, chosen on validation classes. With the number of queries as its weight it is
    PADDLE. The larger, the fewer classes have queries: it is made for tasks of many classes.

    Attributes:
        temperature: of the memberships.
        proportion_weight: of the logarithm of the proportions.
        n_rounds: updates of memberships, then prototypes.
    """

    temperature: Positive = 0.1
    proportion_weight: NonNegative = 0.1
    n_rounds: CountOrZero = 10

    __post_init__ = check_settings

    def __call__(self, episodes: Episodes) -> Tensor:
        """Return the scores (T, n_query, n_classes)."""
        points, members, n_support = episodes.points, episodes.members, episodes.n_support
        gram = points @ points.mT
        nobody = members.new_zeros(*members.shape[:2], episodes.query.shape[1])
        mixtures = mixtures_of(members, nobody)
        logs = torch.full_like(members[..., :1], 1 / episodes.n_classes).log()
        for _ in range(self.n_rounds):
            membership = self._scores(mixtures, gram, n_support, logs).softmax(dim=1)
            logs = membership.mean(dim=2, keepdim=True).clamp(min=1e-15).log()
            mixtures = mixtures_of(members, membership)
        return self._scores(mixtures, gram, n_support, logs).mT

    def _scores(self, mixtures: Tensor, gram: Tensor, n_support: int, logs: Tensor) -> Tensor:
        near = mixture_affinities(mixtures, gram)[..., n_support:]
        return (near / 2 + self.proportion_weight * logs) / self.temperature
