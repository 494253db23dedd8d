"""Few-shot learning: banks of features, episodes, transforms, methods, and their evaluation."""

from diffresnet.fewshot.bank import FeatureBank
from diffresnet.fewshot.episodes import EpisodeIndices, Episodes, EpisodeSampler, EpisodeShape
from diffresnet.fewshot.evaluation import (
    Evaluation,
    classify,
    evaluate,
    paired_difference,
)
from diffresnet.fewshot.prototypes import rectified_prototypes, support_means
from diffresnet.fewshot.recipes import TITLES, Method, Recipe, make_recipe
from diffresnet.fewshot.transforms import (
    TRANSFORMS,
    BalancedAffinities,
    Center,
    EaseProjection,
    Power,
    QueryShift,
    Rectify,
    Transform,
    UnitNorm,
    apply_transforms,
)

__all__ = [
    "TITLES",
    "TRANSFORMS",
    "BalancedAffinities",
    "Center",
    "EaseProjection",
    "EpisodeIndices",
    "EpisodeSampler",
    "EpisodeShape",
    "Episodes",
    "Evaluation",
    "FeatureBank",
    "Method",
    "Power",
    "QueryShift",
    "Recipe",
    "Rectify",
    "Transform",
    "UnitNorm",
    "apply_transforms",
    "classify",
    "evaluate",
    "make_recipe",
    "paired_difference",
    "rectified_prototypes",
    "support_means",
]
