"""Diffusion prototypes: classes as prototypes in two views of the points.

The views are where diffusion puts the points, and their features. In each a class has its labeled
points, and a refined prototype, moved by the points without labels. There is no residual block in
it: this is not Diff-ResNet.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from diffresnet.estimators.parts.directions import Directions, find_directions
from diffresnet.estimators.parts.settings import PrototypeSettings
from diffresnet.estimators.parts.stability import measure_stability
from diffresnet.estimators.points import FittedPoints, Places
from diffresnet.estimators.strength import Strength
from diffresnet.estimators.views import View
from diffresnet.learning.labels import Labels


@dataclass(frozen=True)
class GraphPrototypes:
    """Prototypes where diffusion puts the points.

    Attributes:
        modes: (N, m) of the graph's diffusion.
        view: where diffusion puts the points.
        directions: what scores points there.
        held_out: (n, K) scores of the labels, each learned without its fold.
        stability: of the classes, see `measure_stability`.
    """

    modes: Tensor
    view: View
    directions: Directions
    held_out: Tensor
    stability: float

    name = "prototypes in the graph"

    def score(self, places: Places) -> Tensor:
        """Return the scores (n, K)."""
        return self.directions.score(self.view.place(places.read(self.modes)))


@dataclass(frozen=True)
class FeaturePrototypes:
    """Prototypes where the features put the points.

    Attributes:
        view: of the features.
        directions: what scores points there.
        held_out: (n, K) scores of the labels, each learned without its fold.
    """

    view: View
    directions: Directions
    held_out: Tensor

    name = "prototypes of the features"

    def score(self, places: Places) -> Tensor:
        """Return the scores (n, K)."""
        if places.points is None:
            raise ValueError("FeaturePrototypes: `places` must have features, got none.")
        return self.directions.score(self.view.place(places.points))


def fit_prototypes(
    points: FittedPoints,
    labels: Labels,
    strength: Strength,
    generator: torch.Generator,
    settings: PrototypeSettings,
) -> tuple[GraphPrototypes, FeaturePrototypes | None]:
    """Find the prototypes of each view, and score held-out labels.

    Args:
        points: all of them, and their graph.
        labels: of some.
        strength: of diffusion.
        generator: of the sample that refines, the folds, and the restarts.
        settings: of everything else.
    """
    graph_view = View.of_graph(points.spectrum, strength.step_size, strength.n_steps)
    feature_view = None
    if points.points is not None:
        feature_view = View.of_features(points.points)
    order = torch.randperm(len(graph_view.points), generator=generator)
    learning = _Learning(settings, graph_view, feature_view, order[: settings.n_sampled])
    graph, features = learning.directions(labels)
    # The fewer labels, the more depends on it.
    n_restarts = max(1, round(settings.n_restarts * labels.n_classes / len(labels.rows)))
    stability = measure_stability(
        graph_view, graph, learning.sample, generator, settings, n_restarts=n_restarts
    )
    held_out = learning.held_out(labels, generator)
    found = GraphPrototypes(points.spectrum.modes, graph_view, graph, held_out[0], stability)
    if feature_view is None or features is None:
        return found, None
    return found, FeaturePrototypes(feature_view, features, held_out[1])


@dataclass(frozen=True)
class _Learning:
    settings: PrototypeSettings
    graph: View
    features: View | None
    sample: Tensor

    def directions(self, labels: Labels) -> tuple[Directions, Directions | None]:
        """Return what labels, and the other points, say in each view."""
        sharper = self.settings.sharper(labels.n_classes)
        graph = find_directions(self.graph, labels, self.sample, self.settings, sharper)
        if self.features is None:
            return graph, None
        return graph, find_directions(self.features, labels, self.sample, self.settings)

    def held_out(self, labels: Labels, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Return scores (n, K) of the labels in both views, each learned without its fold.

        They are 0 where a label is the only one of its class, and never held out.
        """
        scores = self.graph.points.new_zeros(2, len(labels.rows), labels.n_classes).double()
        n_folds = min(self.settings.n_folds, int(labels.counts.max()))
        for fewer, out in labels.folds(n_folds, generator) if n_folds > 1 else ():
            graph, features = self.directions(fewer)
            rows = labels.rows[out]
            scores[0, out] = graph.score(self.graph.points[rows]).double()
            if features is not None and self.features is not None:
                scores[1, out] = features.score(self.features.points[rows]).double()
        return scores[0], scores[1]
