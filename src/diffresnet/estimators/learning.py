"""Learn from few labels in two views of the points: where the graph puts them, and their features.

In each view every class has a prototype, the mean direction of its labeled points, and a refined
one, moved by the points without labels. The views are weighed by how well they tell labels that
were left out, or, with one label a class, by how stable the classes are in the graph.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import normalize

from diffresnet.estimators.prototypes import class_means, refine_prototypes

GRAPH_SHARPNESS = 10.0
FEATURE_SHARPNESS = 20.0
N_SAMPLED = 4000
"""Prototypes are refined by so many of the points: more would not move them."""

N_RESTARTS = 8
N_FOLDS = 5
DOUBT = 0.5
"""How far share, and logarithm of the scale, may be from what stability says, without labels."""

SHARES = tuple(step / 10 for step in range(11))
SCALES = tuple(2 ** (step / 4) for step in range(-12, 9))
"""What the scores may be multiplied by, to make the probabilities honest."""


def sharper(n_classes: int) -> float:
    """Return how much sharper many classes must be for a point to belong mostly to one."""
    return max(1.0, math.log10(n_classes))


@dataclass(frozen=True)
class View:
    """Points on a sphere, and how a new point is put there.

    Attributes:
        points: (N, d) of length one.
        factors: (d,) what the coordinates of a new point are multiplied by first.
        center: (d,) what is then taken off, before the point is scaled to length one.
        sharpness: of the classes in this view.
    """

    points: Tensor
    factors: Tensor
    center: Tensor
    sharpness: float

    @classmethod
    def make(cls, raw: Tensor, factors: Tensor, sharpness: float) -> "View":
        """Scale the coordinates, take off their mean, and go to the sphere."""
        scaled = raw * factors
        center = scaled.mean(dim=0)
        return cls(normalize(scaled - center, dim=1), factors, center, sharpness)

    def place(self, raw: Tensor) -> Tensor:
        """Put new points on the sphere."""
        return normalize(raw * self.factors - self.center, dim=1)


@dataclass(frozen=True)
class Labels:
    """The points that have a label.

    Attributes:
        known: (n,) which points.
        classes: (n,) their classes.
        n_classes: K.
    """

    known: Tensor
    classes: Tensor
    n_classes: int

    @property
    def counts(self) -> Tensor:
        """How many points of each class have a label, (K,)."""
        return torch.bincount(self.classes, minlength=self.n_classes)

    def folds(self, n_folds: int, generator: torch.Generator) -> Iterator[tuple["Labels", Tensor]]:
        """Yield labels without a fold, and which were left out; never the only one of a class."""
        order = torch.randperm(len(self.classes), generator=generator).to(self.classes.device)
        rank = torch.empty_like(order)
        for one in range(self.n_classes):
            own = order[self.classes[order] == one]
            rank[own] = torch.arange(len(own), device=order.device)
        several = self.counts[self.classes] > 1
        for fold in range(n_folds):
            out = several & (rank % n_folds == fold)
            if out.any():
                yield Labels(self.known[~out], self.classes[~out], self.n_classes), out


@dataclass(frozen=True)
class Directions:
    """What scores the points of a view.

    Attributes:
        means: (K, d) of the labeled points of each class.
        refined: (K, d) prototypes that the other points have moved.
        sharpness: of the view.
    """

    means: Tensor
    refined: Tensor
    sharpness: float

    def score(self, points: Tensor) -> Tensor:
        """Return the scores (n, K): how near the mean is, and how alike the refined prototype."""
        means, refined = self.means.to(points), self.refined.to(points)
        near = points @ means.mT - means.square().sum(dim=1) / 2
        return self.sharpness / 2 * (near + points @ refined.mT)


def find_directions(view: View, labels: Labels, sample: Tensor) -> Directions:
    """Make the prototypes of a view, and refine them by a sample of the points."""
    known = view.points[labels.known]
    means = class_means(known, labels.classes, labels.n_classes)
    points = torch.cat([view.points[sample], known])
    places = torch.arange(len(sample), len(points), device=points.device)
    refined = refine_prototypes(
        points, normalize(means, dim=1), view.sharpness, known=places, labels=labels.classes
    )
    return Directions(means, refined, view.sharpness)


def measure_stability(
    view: View, directions: Directions, sample: Tensor, generator: torch.Generator
) -> float:
    """Tell how well classes are found again from one random point of each.

    The refined classes are, then the classes that were found from them, and so on: what comes out
    says more of the graph than of the labels.

    Returns:
        The share of points that keep their class, over `N_RESTARTS` restarts.
    """
    points, prototypes = view.points[sample], directions.refined
    classes = (points @ prototypes.mT).argmax(dim=1)
    kept = 0.0
    for _ in range(N_RESTARTS):
        order = torch.randperm(len(points), generator=generator).to(points.device)
        last = torch.full((len(prototypes),), -1, device=points.device)
        last.scatter_reduce_(0, classes[order], torch.arange(len(order)).to(order), "amax")
        first = torch.where((last >= 0).unsqueeze(1), points[order[last]], prototypes)
        none = order[:0]
        prototypes = refine_prototypes(points, first, view.sharpness, known=none, labels=none)
        before, classes = classes, (points @ prototypes.mT).argmax(dim=1)
        kept += float((before == classes).double().mean())
    return kept / N_RESTARTS


def share_from_stability(stability: float) -> float:
    """Return the share of the graph's view when no label can be left out."""
    return 0.1 + 0.9 * min(1.0, max(0.0, (stability - 0.84) / 0.06))


def scale_from_stability(stability: float, n_classes: int) -> float:
    """Return the scale of the scores when no label can be left out."""
    return (0.25 + 0.75 * min(1.0, max(0.0, (stability - 0.82) / 0.07))) / sharper(n_classes)


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
