"""All parts that are ridge regression: of the graph, of the features, and of both together."""

import torch

from diffresnet.estimators.parts.features import choose_kernel, feature_kernels, fit_features
from diffresnet.estimators.parts.part import RidgePart, Targets
from diffresnet.estimators.parts.propagation import GraphKernel, fit_propagation
from diffresnet.estimators.parts.together import fit_together
from diffresnet.estimators.points import FittedPoints


def fit_ridges(
    points: FittedPoints, labels: Targets, step_size: float, generator: torch.Generator
) -> list[RidgePart]:
    """Learn from labels or values by kernels; by that of the graph alone without features."""
    graph = GraphKernel.of(points, labels)
    parts = [fit_propagation(graph, labels)]
    if points.points is None:
        return parts
    order = torch.randperm(len(labels.rows), generator=generator)
    kernels = list(feature_kernels(points, labels, step_size))
    features = choose_kernel(kernels, labels, order)
    parts.append(fit_features(features, labels))
    parts.append(fit_together(graph, features, labels, order))
    return parts
