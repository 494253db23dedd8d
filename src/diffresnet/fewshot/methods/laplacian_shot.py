"""LaplacianShot: nearest prototypes, smoothed among neighboring queries (Ziko 2020)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from diffresnet._support.settings import Count, CountOrZero, NonNegative, check_settings
from diffresnet.fewshot.episodes import Episodes
from diffresnet.fewshot.prototypes import prototypes_of
from diffresnet.graph.distances import distances_from_gram
from diffresnet.learning.prototypes import squared_distances


@dataclass(frozen=True)
class LaplacianShot:
    """Iterate Y <- softmax(-a + label_laplacian_weight W Y): "Diffusion" in the paper's ablation.

    a_ik is the distance from query i to prototype k, and W links each query to its nearest ones. A
    task is done when its energy sum Y log Y + sum a Y - lambda sum (W Y) Y hardly changes.

    Attributes:
        label_laplacian_weight: lambda; .5 in the paper's ablation.
        n_neighbors: links of a query, itself not counted; 2, which the authors' code calls 3.
        squared: use squared distances to prototypes, as the method's own code does; the code
            of the paper uses plain ones.
        max_rounds: at most this number of updates.
        tolerance: of the relative change of the energy.
    """

    label_laplacian_weight: NonNegative = 0.5
    n_neighbors: CountOrZero = 2
    squared: bool = False
    max_rounds: Count = 20
    tolerance: NonNegative = 1e-6

    __post_init__ = check_settings

    def __call__(self, episodes: Episodes) -> Tensor:
        """Return the scores (T, n_query, n_classes)."""
        return self.assign(episodes).clamp(min=1e-30).log().mT

    def assign(self, episodes: Episodes) -> Tensor:
        """Return the assignments Y (T, n_classes, n_query); what a query is given sums to 1."""
        costs = squared_distances(episodes.query, prototypes_of(episodes))
        if not self.squared:
            costs = costs.sqrt()
        pull = self.label_laplacian_weight * self._neighbors(episodes.query)
        pull = pull.mT.contiguous()
        assigned = (-costs).softmax(dim=1)
        last = torch.full_like(costs[:, 0, 0], torch.inf)
        going = torch.ones_like(last, dtype=torch.bool)
        for n_done in range(1, self.max_rounds + 1):
            updated = (assigned @ pull - costs).softmax(dim=1)
            assigned = torch.where(going[:, None, None], updated, assigned)
            energy = self._energy(assigned, costs, pull)
            if n_done > 1:
                going = going & ((energy - last).abs() > self.tolerance * last.abs())
                if not going.any():
                    break
            last = energy
        return assigned

    @staticmethod
    def _energy(assigned: Tensor, costs: Tensor, pull: Tensor) -> Tensor:
        logs = assigned.clamp(min=1e-20).log()
        return (assigned * (logs + costs - assigned @ pull)).sum(dim=(-2, -1))

    def _neighbors(self, query: Tensor) -> Tensor:
        """Return directed links (T, n_query, n_query), 1 to each of the nearest other queries."""
        distances = distances_from_gram(query @ query.mT, query)
        distances.diagonal(dim1=-2, dim2=-1).fill_(torch.inf)
        n_neighbors = min(self.n_neighbors, query.shape[1] - 1)
        nearest = distances.topk(n_neighbors, dim=-1, largest=False).indices
        return torch.zeros_like(distances).scatter_(-1, nearest, 1)
