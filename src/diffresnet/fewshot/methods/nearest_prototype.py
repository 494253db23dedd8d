"""Nearest prototype: the baseline of the ablation, and most of SimpleShot, PT+NCM and BD-CSPN."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from torch import Tensor
from torch.nn import functional

from diffresnet._support.settings import check_settings
from diffresnet.fewshot.episodes import Episodes
from diffresnet.fewshot.prototypes import prototypes_of
from diffresnet.learning.prototypes import affinities

Metric: TypeAlias = Literal["euclidean", "cosine"]


@dataclass(frozen=True)
class NearestPrototype:
    """Give each query to the class with the nearest prototype.

    With transforms before it, this is SimpleShot (center, l2), PT+NCM (power, l2) and, by cosine
    after shift and rectification, BD-CSPN.

    Attributes:
        metric: Euclidean distance or cosine.
    """

    metric: Metric = "euclidean"

    __post_init__ = check_settings

    def __call__(self, episodes: Episodes) -> Tensor:
        """Return the scores (T, n_query, n_classes)."""
        prototypes = prototypes_of(episodes)
        if self.metric == "euclidean":
            return affinities(episodes.query, prototypes).mT
        return (
            functional.normalize(episodes.query, dim=-1)
            @ functional.normalize(prototypes, dim=-1).mT
        )
