"""All parts that are ridge regression: of the graph, of the features, and of both together."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat

import torch

from diffresnet.estimators.parts.features import (
    choose_kernel,
    feature_kernel,
    feature_kernels,
    fit_features,
)
from diffresnet.estimators.parts.many_labels import few_of, hold_out_others
from diffresnet.estimators.parts.part import RidgePart, Targets
from diffresnet.estimators.parts.propagation import GraphKernel, fit_propagation
from diffresnet.estimators.parts.together import choose_weight, fit_together
from diffresnet.estimators.points import FittedPoints
from diffresnet.learning.ridge import Penalty


@dataclass(frozen=True)
class Choices:
    """What held-out labels have chosen; a few labels more would choose the same.

    Attributes:
        penalties: of the parts.
        kernel: which of the kernels of features; None if there are none.
        graph_weight: of the graph's kernel beside that; None if there is none.
    """

    penalties: tuple[Penalty, ...]
    kernel: int | None = None
    graph_weight: float | None = None


def fit_ridges(
    points: FittedPoints,
    labels: Targets,
    step_size: float,
    generator: torch.Generator,
    choices: Choices | None = None,
) -> tuple[list[RidgePart], Choices]:
    """Learn from labels or values by kernels; by that of the graph alone without features.

    Args:
        points: all of them, and their graph.
        labels: of some.
        step_size: of diffusion.
        generator: of the labels that choose.
        choices: that were made before; None to choose.

    Returns:
        The parts, and what was chosen.
    """
    few, tried = few_of(points, labels), _penalties_of(choices)
    graph = GraphKernel.of(points, few)
    parts, which, weight = [fit_propagation(graph, few, next(tried))], None, None
    if points.points is not None:
        if choices is None or choices.kernel is None or choices.graph_weight is None:
            kernels = list(feature_kernels(points, few, step_size))
            order = torch.randperm(len(few.rows), generator=generator)
            which = choose_kernel(kernels, few, order)
            kernel = kernels[which]
            weight = choose_weight(graph, kernel, few, order)
        else:
            which, weight = choices.kernel, choices.graph_weight
            kernel = feature_kernel(points, few, step_size, which)
        parts.append(fit_features(kernel, few, next(tried)))
        parts.append(fit_together(graph, kernel, few, weight, next(tried)))
    parts = [hold_out_others(part, points, labels, few) for part in parts]
    return parts, Choices(tuple(part.ridge.penalty for part in parts), which, weight)


def _penalties_of(choices: Choices | None) -> Iterator[Penalty | None]:
    """Yield what was chosen for each part, or None to choose."""
    if choices is not None:
        yield from choices.penalties
    yield from repeat(None)
