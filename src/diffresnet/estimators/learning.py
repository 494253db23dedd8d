"""Learn from few labels in two views of the points: where the graph puts them, and their features.

In each view a class has its labeled points, and a refined prototype, moved by the points without
labels. The views are weighed by how well they tell labels that were left out, or, with one label a
class, by how stable the classes are in the graph.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from diffresnet.estimators.directions import Directions, find_directions
from diffresnet.estimators.stability import (
    measure_stability,
    scale_from_stability,
    share_from_stability,
)
from diffresnet.estimators.views import View
from diffresnet.learning.labels import Labels

N_SAMPLED = 4000
"""Prototypes are refined by so many of the points: more would not move them."""

N_FOLDS = 5
DOUBT = 0.5
"""How far share, and logarithm of the scale, may be from what stability says, without labels."""

SHARES = tuple(step / 10 for step in range(11))
SCALES = tuple(2 ** (step / 4) for step in range(-12, 9))
"""What the scores may be multiplied by, to make the probabilities honest."""


def weigh(
    graph: Tensor, features: Tensor, classes: Tensor, expected: tuple[float, float]
) -> tuple[float, float]:
    """Choose the share of the graph's view, and the scale, that fit labels that were left out.

    Args:
        graph: (n, K) scores of the left out points in the view of the graph.
        features: (n, K) scores in the other view.
        classes: (n,) of the left out points.
        expected: share and scale, as stability gives them.

    Returns:
        The share and the scale with the largest likelihood, times how likely they are beforehand.
    """
    best, found = -math.inf, expected
    share, usual = expected
    for candidate in SHARES:
        mixed = torch.lerp(features, graph, candidate)
        doubt = (candidate - share) ** 2 / (2 * DOUBT**2)
        for scale in SCALES:
            fit = (scale * mixed).log_softmax(dim=1).gather(1, classes.unsqueeze(1)).sum()
            value = float(fit) - doubt - math.log(scale / usual) ** 2 / (2 * DOUBT**2)
            if value > best:
                best, found = value, (candidate, scale)
    return found


@dataclass(frozen=True)
class Learned:
    """What was learned: enough to score any point.

    Attributes:
        graph: what scores points in the view of the graph.
        features: what scores them by their features, if they have any.
        share: of the graph's view.
        scale: of the scores, for honest probabilities.
        stability: of the classes in the graph, see `measure_stability`.
    """

    graph: Directions
    features: Directions | None
    share: float
    scale: float
    stability: float

    def score(self, in_graph: Tensor, in_features: Tensor | None) -> Tensor:
        """Return the scores (n, K), logarithms of probabilities but for a constant."""
        scores = self.graph.score(in_graph)
        if self.features is not None and in_features is not None:
            scores = torch.lerp(self.features.score(in_features), scores, self.share)
        return self.scale * scores


def learn(
    graph: View, features: View | None, labels: Labels, generator: torch.Generator
) -> Learned:
    """Learn from the labels in both views, and weigh the views.

    Args:
        graph: where diffusion puts the points.
        features: the points by their features, if they have any.
        labels: at least one of each of two or more classes.
        generator: of the sample, the folds and the restarts.
    """
    n_points = len(graph.points)
    sample = torch.randperm(n_points, generator=generator)[:N_SAMPLED].to(labels.known.device)
    in_graph = find_directions(graph, labels, sample)
    in_features = None if features is None else find_directions(features, labels, sample)
    stability = measure_stability(graph, in_graph, sample, generator)
    share = 1.0 if features is None else share_from_stability(stability)
    scale = scale_from_stability(stability, labels.n_classes)
    n_folds = min(N_FOLDS, int(labels.counts.max()))
    if n_folds > 1:
        left_out = _score_left_out((graph, features), labels, sample, n_folds, generator)
        share, scale = weigh(left_out.graph, left_out.features, left_out.classes, (share, scale))
    return Learned(in_graph, in_features, share, scale, stability)


@dataclass(frozen=True)
class _LeftOut:
    graph: Tensor
    features: Tensor
    classes: Tensor


def _score_left_out(
    views: tuple[View, View | None],
    labels: Labels,
    sample: Tensor,
    n_folds: int,
    generator: torch.Generator,
) -> _LeftOut:
    """Score labels by what was learned without them; without features the graph stands for both."""
    parts: list[_LeftOut] = []
    for fewer, out in labels.folds(n_folds, generator):
        scores = [
            find_directions(view, fewer, sample).score(view.points[labels.known[out]])
            for view in views
            if view is not None
        ]
        parts.append(_LeftOut(scores[0], scores[-1], labels.classes[out]))
    return _LeftOut(
        torch.cat([part.graph for part in parts]),
        torch.cat([part.features for part in parts]),
        torch.cat([part.classes for part in parts]),
    )
