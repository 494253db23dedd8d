"""Soft k-means: prototypes that the queries pull, in proportion to how surely they belong."""

from dataclasses import dataclass

from torch import Tensor

from diffresnet._support.settings import CountOrZero, Positive, check_settings
from diffresnet.fewshot.episodes import Episodes
from diffresnet.learning.proportions import Balance, class_biases
from diffresnet.learning.prototypes import mixture_affinities, soft_kmeans


@dataclass(frozen=True)
class SoftKMeans:
    """Iterate r = softmax(-temperature d^2), p = weighted means; the support keeps its classes.

    Attributes:
        temperature: of the assignments.
        n_rounds: updates of the prototypes.
        rate: how far they move, p <- p + rate (p^ - p); 1 for plain soft k-means, .2 after EASE.
        balance: what is presumed of the class proportions of the queries: 0 for nothing, -1 for
            proportions that are estimated, infinity for even ones, which makes it PT-MAP.
    """

    temperature: Positive = 5.0
    n_rounds: CountOrZero = 30
    rate: Positive = 1.0
    balance: Balance = 0.0

    __post_init__ = check_settings

    def __call__(self, episodes: Episodes) -> Tensor:
        """Return the scores (T, n_query, n_classes)."""
        points = episodes.points
        gram = points @ points.mT
        near = mixture_affinities(self.mixtures(episodes, gram), gram)
        scores = self.temperature * near[..., episodes.n_support :]
        return (scores + class_biases(scores, self.balance)).mT

    def mixtures(self, episodes: Episodes, gram: Tensor) -> Tensor:
        """Return the prototypes as weighted sums of all points, (T, n_classes, N)."""
        return soft_kmeans(
            gram,
            episodes.members,
            temperature=self.temperature,
            n_rounds=self.n_rounds,
            rate=self.rate,
            balance=self.balance,
        )
