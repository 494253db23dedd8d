"""Diffusion prototypes: classes as prototypes in two views of the points.

The views are where diffusion puts the points, and their features. In each a class has its labeled
points, and a refined prototype, moved by the points without labels. The views are weighed by how
well they explain held-out labels or, with one label per class, by how stable the classes are in the
graph. There is no residual block in it: this is not Diff-ResNet.
"""

import math
from dataclasses import dataclass, field

import torch
from torch import Tensor

from diffresnet.estimators.points import FittedPoints, Places
from diffresnet.estimators.solvers.directions import Directions, find_directions
from diffresnet.estimators.solvers.settings import PrototypeSettings
from diffresnet.estimators.solvers.stability import measure_stability
from diffresnet.estimators.strength import Strength
from diffresnet.estimators.views import View
from diffresnet.learning.labels import Labels

VIEW_WEIGHTS = tuple(step / 10 for step in range(11))
SCALES = tuple(2 ** (step / 4) for step in range(-12, 9))
"""What the scores may be multiplied by, to make the probabilities honest."""


@dataclass(frozen=True)
class SolvedPrototypes:
    """What was learned by prototypes.

    Attributes:
        modes: (N, m) of the graph's diffusion.
        graph_view: where diffusion puts the points.
        graph: what scores points there.
        feature_view: where their features put them, if they have any.
        features: what scores them there.
        view_weight: of the graph's view against that of the features.
        scale: of the scores, for honest probabilities.
        stability: of the classes in the graph, see `measure_stability`.
    """

    modes: Tensor
    graph_view: View
    graph: Directions
    feature_view: View | None
    features: Directions | None
    view_weight: float
    scale: float
    stability: float

    def score(self, places: Places) -> Tensor:
        """Return the scores (n, K)."""
        scores = self.graph.score(self.graph_view.place(places.read(self.modes)))
        if self.features is not None and self.feature_view is not None:
            if places.points is None:
                raise ValueError("SolvedPrototypes: `places` must have features, got none.")
            shown = places.points[:, : self.feature_view.points.shape[1]]
            other = self.features.score(self.feature_view.place(shown))
            scores = torch.lerp(other, scores, self.view_weight)
        return self.scale * scores

    @property
    def remarks(self) -> tuple[str, ...]:
        """Say how the views are weighed."""
        if self.features is None:
            return ()
        return (
            f"The graph has {self.view_weight:.0%} of the weight, "
            f"the features {1 - self.view_weight:.0%}.",
        )


@dataclass(frozen=True)
class PrototypeSolver:
    """Learn by prototypes; see this module.

    Attributes:
        settings: its constants.
    """

    settings: PrototypeSettings = field(default_factory=PrototypeSettings)

    def solve(
        self,
        points: FittedPoints,
        labels: Labels,
        strength: Strength,
        generator: torch.Generator,
    ) -> SolvedPrototypes:
        """Learn from the labels in both views, and weigh the views."""
        settings = self.settings
        graph_view = View.of_graph(points.spectrum, strength.step_size, strength.n_steps)
        feature_view = None
        if points.points is not None:
            feature_view = View.of_features(points.points[:, : settings.n_features])
        n_points = len(graph_view.points)
        order = torch.randperm(n_points, generator=generator)
        sample = order[: settings.n_sampled].to(labels.rows.device)
        learn = _Learning(settings, graph_view, feature_view, sample)
        graph, features = learn.directions(labels)
        stability = measure_stability(graph_view, graph, sample, generator, settings)
        view_weight = 1.0 if feature_view is None else settings.view_weight(stability)
        scale = settings.scale(stability, labels.n_classes)
        n_folds = min(settings.n_folds, int(labels.counts.max()))
        if n_folds > 1:
            held_out = learn.held_out(labels, n_folds, generator)
            view_weight, scale = weigh(*held_out, (view_weight, scale), settings.doubt)
        return SolvedPrototypes(
            points.spectrum.modes,
            graph_view,
            graph,
            feature_view,
            features,
            view_weight,
            scale,
            stability,
        )


@dataclass(frozen=True)
class _Learning:
    settings: PrototypeSettings
    graph: View
    features: View | None
    sample: Tensor

    def directions(self, labels: Labels) -> tuple[Directions, Directions | None]:
        """Return what labels, and the other points, say in each view."""
        settings = self.settings
        sharpness = settings.graph_sharpness * settings.sharper(labels.n_classes)
        graph = find_directions(self.graph, labels, self.sample, sharpness, settings, by_mean=False)
        if self.features is None:
            return graph, None
        sharpness = settings.feature_sharpness
        return graph, find_directions(
            self.features, labels, self.sample, sharpness, settings, by_mean=True
        )

    def held_out(
        self, labels: Labels, n_folds: int, generator: torch.Generator
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return scores of held-out labels in both views, and their classes.

        Without features the graph stands for both.
        """
        found: list[tuple[Tensor, Tensor, Tensor]] = []
        for fewer, out in labels.folds(n_folds, generator):
            graph, features = self.directions(fewer)
            rows = labels.rows[out]
            in_graph = graph.score(self.graph.points[rows])
            in_features = in_graph
            if features is not None and self.features is not None:
                in_features = features.score(self.features.points[rows])
            found.append((in_graph, in_features, labels.classes[out]))
        graph_scores, feature_scores, classes = (
            torch.cat(parts) for parts in zip(*found, strict=True)
        )
        return graph_scores, feature_scores, classes


def weigh(
    graph: Tensor,
    features: Tensor,
    classes: Tensor,
    expected: tuple[float, float],
    doubt: float,
) -> tuple[float, float]:
    """Choose the weight of the graph's view, and the scale, that fit held-out labels.

    Args:
        graph: (n, K) scores of the held-out points in the view of the graph.
        features: (n, K) scores in the other view.
        classes: (n,) of the held-out points.
        expected: weight and scale, as stability gives them.
        doubt: how far weight, and logarithm of the scale, may be from that.

    Returns:
        The weight and the scale with the largest likelihood, times how likely they are beforehand.
    """
    best, found = -math.inf, expected
    usual_weight, usual_scale = expected
    for weight in VIEW_WEIGHTS:
        mixed = torch.lerp(features, graph, weight)
        far = (weight - usual_weight) ** 2
        for scale in SCALES:
            fit = (scale * mixed).log_softmax(dim=1).gather(1, classes.unsqueeze(1)).sum()
            off = far + math.log(scale / usual_scale) ** 2
            value = float(fit) - off / (2 * doubt**2)
            if value > best:
                best, found = value, (weight, scale)
    return found
