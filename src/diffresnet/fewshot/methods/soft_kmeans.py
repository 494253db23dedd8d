"""Soft k-means: prototypes that the queries pull, in proportion to how surely they belong."""

from dataclasses import dataclass

from torch import Tensor

from diffresnet._support.checks import check_count, check_real
from diffresnet.fewshot.episodes import Episodes
from diffresnet.learning.prototypes import mixture_affinities, soft_kmeans


@dataclass(frozen=True)
class SoftKMeans:
    """Iterate r = softmax(-temperature d^2), p = weighted means; the support keeps its classes.

    Attributes:
        temperature: of the assignments.
        n_rounds: updates of the prototypes.
        rate: how far they move, p <- p + rate (p^ - p); 1 for plain soft k-means, .2 after EASE.
    """

    temperature: float = 5.0
    n_rounds: int = 30
    rate: float = 1.0

    def __post_init__(self) -> None:
        check_real("SoftKMeans", "temperature", self.temperature)
        check_count("SoftKMeans", "n_rounds", self.n_rounds, low=0)
        check_real("SoftKMeans", "rate", self.rate)

    def __call__(self, episodes: Episodes) -> Tensor:
        """Return the scores (T, n_query, n_classes)."""
        points = episodes.points
        gram = points @ points.mT
        near = mixture_affinities(self.mixtures(episodes, gram), gram)
        return self.temperature * near[..., episodes.n_support :].mT

    def mixtures(self, episodes: Episodes, gram: Tensor) -> Tensor:
        """Return the prototypes as weighted sums of all points, (T, n_classes, N).

        Args:
            episodes: whose support keeps its classes.
            gram: (T, N, N) inner products of all points.
        """
        return soft_kmeans(
            gram,
            episodes.members,
            temperature=self.temperature,
            n_rounds=self.n_rounds,
            rate=self.rate,
        )
