"""PT-MAP: prototypes and assignments in turns, with as many queries for every class (Hu 2021)."""

import math
from dataclasses import dataclass

from torch import Tensor

from diffresnet._support.settings import CountOrZero, Positive, check_settings
from diffresnet.fewshot.episodes import Episodes
from diffresnet.fewshot.methods.soft_kmeans import SoftKMeans
from diffresnet.learning.proportions import Balance


@dataclass(frozen=True)
class PtMap:
    """Assign by optimal transport, move the prototypes, and again.

    It presumes that every class has as many queries: where that is so it helps much, where it is
    not it hurts much. A finite `balance` relaxes it; then it is soft k-means by other settings.

    Attributes:
        sharpness: of exp(-sharpness d^2).
        rate: how far prototypes move in a round.
        n_rounds: of both.
        balance: see `SoftKMeans`; infinity for even classes.
    """

    sharpness: Positive = 10.0
    rate: Positive = 0.2
    n_rounds: CountOrZero = 20
    balance: Balance = math.inf

    __post_init__ = check_settings

    def __call__(self, episodes: Episodes) -> Tensor:
        """Return the scores (T, n_query, n_classes), logarithms of assignments."""
        method = SoftKMeans(self.sharpness, self.n_rounds, self.rate, self.balance)
        return method(episodes).log_softmax(dim=-1)
