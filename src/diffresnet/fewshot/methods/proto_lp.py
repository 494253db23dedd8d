"""protoLP: prototypes, and labels that propagate over the graph they make (Zhu 2023)."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from diffresnet._support.settings import CountOrZero, NonNegative, Positive, check_settings
from diffresnet.fewshot.episodes import Episodes
from diffresnet.learning.proportions import Balance, class_biases
from diffresnet.learning.prototypes import mixture_affinities, mixtures_of

SMALLEST = 1e-6


@dataclass(frozen=True)
class ProtoLp:
    """Move prototypes to points that belong to them by transport and by label propagation.

    With memberships Z of all points by transport, those of the support known, prototypes are linked
    by W = Z' Z D^-1, D the column sums of Z. A = (Z_s' Z_s + graph_weight (I - W))^-1 Z_s' Y gives
    labels to prototypes, Z A to points; these are transported too. Then the prototypes move to the
    means by .6 of these and .4 of Z.

    Attributes:
        sharpness: of exp(-sharpness d^2).
        rate: how far prototypes move in a round.
        n_rounds: of both.
        graph_weight: of the smoothness over prototypes.
        propagated: the part that propagated labels have in the memberships.
        balance: see `SoftKMeans`; infinity, as published, for even classes.
    """

    sharpness: Positive = 10.0
    rate: Positive = 0.2
    n_rounds: CountOrZero = 20
    graph_weight: NonNegative = 1.0
    propagated: NonNegative = 0.6
    balance: Balance = math.inf

    __post_init__ = check_settings

    def __call__(self, episodes: Episodes) -> Tensor:
        """Return the scores (T, n_query, n_classes), logarithms of memberships."""
        points, members, n_support = episodes.points, episodes.members, episodes.n_support
        gram = points @ points.mT
        nobody = members.new_zeros(*members.shape[:2], episodes.query.shape[1])
        mixtures = mixtures_of(members, nobody)
        for _ in range(self.n_rounds):
            near = mixture_affinities(mixtures, gram)[..., n_support:]
            query = self._balanced(self.sharpness * near).exp()
            both = torch.lerp(query, self._propagate(members, query), self.propagated)
            mixtures = mixtures + self.rate * (mixtures_of(members, both) - mixtures)
        near = mixture_affinities(mixtures, gram)[..., n_support:]
        return self._balanced(self.sharpness * near).mT

    def _balanced(self, scores: Tensor) -> Tensor:
        return (scores + class_biases(scores, self.balance)).log_softmax(dim=1)

    def _propagate(self, members: Tensor, query: Tensor) -> Tensor:
        """Return what label propagation over the prototypes says of the queries, transported."""
        memberships = torch.cat([members, query], dim=-1)
        links = memberships @ memberships.mT / memberships.sum(dim=-1).unsqueeze(1)
        own = torch.eye(links.shape[1], dtype=links.dtype, device=links.device)
        counts = torch.diag_embed(members.sum(dim=-1))  # both Z_s' Z_s and Z_s' Y
        labels = torch.linalg.solve(counts + self.graph_weight * (own - links), counts)
        found = (labels.mT @ query).clamp(min=SMALLEST)
        return self._balanced(found.log()).exp()
