"""PT-MAP: prototypes and assignments in turns, with as many queries for every class (Hu 2021)."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from diffresnet._support.settings import CountOrZero, Positive, check_settings
from diffresnet.fewshot.episodes import Episodes
from diffresnet.learning.prototypes import mixture_affinities, mixtures_of

SINKHORN_ROUNDS = 1000
SINKHORN_TOLERANCE = 1e-4
"""How far the logarithm of the sum of a class may be off."""


@dataclass(frozen=True)
class PtMap:
    """Assign by optimal transport, move the prototypes, and again.

    It presumes that every class has as many queries: where that is so it helps much, where it is
    not it hurts much. Computed in the log domain: the plain form underflows.

    Attributes:
        sharpness: of exp(-sharpness d^2).
        rate: how far prototypes move in a round.
        n_rounds: of both.
    """

    sharpness: Positive = 10.0
    rate: Positive = 0.2
    n_rounds: CountOrZero = 20

    __post_init__ = check_settings

    def __call__(self, episodes: Episodes) -> Tensor:
        """Return the scores (T, n_query, n_classes), logarithms of assignments."""
        points = episodes.points
        gram = points @ points.mT
        members, n_support = episodes.members, episodes.n_support
        nobody = members.new_zeros(*members.shape[:2], episodes.query.shape[1])
        mixtures = mixtures_of(members, nobody)
        factors = torch.zeros_like(members[..., :1])
        for _ in range(self.n_rounds):
            near = mixture_affinities(mixtures, gram)[..., n_support:]
            logs, factors = self._transport(near, factors)
            mixtures = mixtures + self.rate * (mixtures_of(members, logs.exp()) - mixtures)
        near = mixture_affinities(mixtures, gram)[..., n_support:]
        return self._transport(near, factors)[0].mT

    def _transport(self, near: Tensor, factors: Tensor) -> tuple[Tensor, Tensor]:
        """Return logarithms: of the assignments (T, n_classes, n_query), of factors of the classes.

        Each query is assigned once, each class n_query/n_classes times. `factors` are those to
        start from.
        """
        logs = self.sharpness * near
        goal = math.log(logs.shape[2] / logs.shape[1])
        for _ in range(SINKHORN_ROUNDS):
            assigned = (logs - factors).log_softmax(dim=1)
            excess = assigned.logsumexp(dim=2, keepdim=True) - goal
            # A task that is balanced stays as it is, so that tasks do not depend on each other.
            off = excess.abs().amax(dim=1, keepdim=True) >= SINKHORN_TOLERANCE
            if not off.any():
                break
            factors = torch.where(off, factors + excess, factors)
        return (logs - factors).log_softmax(dim=1), factors
