"""Features and graph together: ridge regression with a weighted sum of their kernels."""

import torch

from diffresnet.estimators.parts.features import N_FOR_CHOICE, FeatureKernel
from diffresnet.estimators.parts.part import RidgePart, Targets
from diffresnet.estimators.parts.propagation import GraphKernel
from diffresnet.learning.mixture_settings import GRAPH_WEIGHTS
from diffresnet.learning.ridge import Penalty


def choose_weight(
    graph: GraphKernel, features: FeatureKernel, labels: Targets, order: torch.Tensor
) -> float:
    """Return the weight of the graph's kernel with the least error of held-out labels.

    Args:
        graph: its kernel.
        features: theirs.
        labels: of the points.
        order: (n,) of the labels; the first of them are tried.
    """
    tried = order[:N_FOR_CHOICE]

    def error(weight: float) -> float:
        mixed = torch.lerp(features.gram[tried][:, tried], graph.gram[tried][:, tried], weight)
        return labels.regress(mixed, tried).error

    return min(GRAPH_WEIGHTS, key=error)


def fit_together(
    graph: GraphKernel,
    features: FeatureKernel,
    labels: Targets,
    weight: float,
    penalty: Penalty | None = None,
) -> RidgePart:
    """Learn from labels by both.

    Args:
        graph: its kernel.
        features: theirs.
        labels: of the points.
        weight: of the graph.
        penalty: None to let held-out labels choose.
    """
    ridge = labels.regress(torch.lerp(features.gram, graph.gram, weight), penalty=penalty)
    name = "features and graph together"
    return RidgePart.of(name, ridge, (weight, graph), (1 - weight, features))
