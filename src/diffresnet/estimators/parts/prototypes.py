"""Diffusion prototypes: classes as prototypes in two views of the points.

The views are where diffusion puts the points, and their features; these are diffused, too, where a
graph was given that links points of like features. In each view a class has its labeled points, and
a refined prototype, moved by the points without labels. There is no residual block in it: this is
not Diff-ResNet.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from diffresnet.estimators.points import FittedPoints, Places
from diffresnet.learning.directions import Directions, find_directions
from diffresnet.learning.labels import Labels
from diffresnet.learning.prototype_settings import PrototypeSettings
from diffresnet.learning.stability import measure_stability
from diffresnet.learning.strength import Strength
from diffresnet.learning.views import View

STRENGTH = 4.0
"""Of the diffusion of features, in units of the mean rate."""


@dataclass(frozen=True)
class GraphPrototypes:
    """Prototypes where diffusion puts the points.

    Attributes:
        view: where diffusion puts the points.
        directions: what scores points there.
        held_out: (n, K) scores of the labels, each learned without its fold.
        stability: of the classes, see `measure_stability`.
    """

    view: View
    directions: Directions
    held_out: Tensor
    stability: float

    name = "prototypes in the graph"

    def score(self, places: Places) -> Tensor:
        """Return the scores (n, K)."""
        return _score(self.view, self.directions, places)


@dataclass(frozen=True)
class FeaturePrototypes:
    """Prototypes where the features put the points.

    Attributes:
        view: of the features.
        directions: what scores points there.
        held_out: (n, K) scores of the labels, each learned without its fold.
        is_diffused: whether features are diffused over the graph first.
    """

    view: View
    directions: Directions
    held_out: Tensor
    is_diffused: bool = False

    @property
    def name(self) -> str:
        """What it is called."""
        return f"prototypes of the {'diffused ' if self.is_diffused else ''}features"

    def score(self, places: Places) -> Tensor:
        """Return the scores (n, K)."""
        if self.is_diffused or places.attachment is None:
            return _score(self.view, self.directions, places)
        if places.points is None:
            raise ValueError("FeaturePrototypes: `places` must have features, got none.")
        return self.directions.score(self.view.place(places.points))


def _score(view: View, directions: Directions, places: Places) -> Tensor:
    """Return the scores (n, K) of fitted points, or of new ones by the mean of their neighbors."""
    raw = places.read(view.raw)
    if places.attachment is None:
        return directions.score_fitted(view, raw, places.read(view.lengths))
    return directions.score(view.place(raw))


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
    sample = draw_sample(points, labels, generator, settings)
    sharper, seen = settings.sharper(labels.n_classes), graph_view.at(sample)
    (graph,) = find_directions(graph_view, [labels], seen, settings, sharper)
    # The fewer labels, the more depends on it.
    n_restarts = max(1, round(settings.n_restarts * labels.n_classes / len(labels.rows)))
    stability = measure_stability(seen, graph, generator, settings, n_restarts=n_restarts)
    n_folds = min(settings.n_folds, int(labels.counts.max()))
    folds = list(labels.folds(n_folds, generator)) if n_folds > 1 else []
    fewer, out = [one for one, _ in folds], [held for _, held in folds]
    without = find_directions(graph_view, fewer, seen, settings, sharper) if fewer else []
    held_out = _score_folds(graph_view, without, out, labels)
    found = GraphPrototypes(graph_view, graph, held_out, stability)
    if points.points is None:
        return found, None
    is_diffused = points.has_like_links
    diffused = points.diffused(strength.step_size, STRENGTH) if is_diffused else points.points
    view = View.of_features(diffused)
    features, *without = find_directions(view, [labels, *fewer], view.at(sample), settings)
    held_out = _score_folds(view, without, out, labels)
    return found, FeaturePrototypes(view, features, held_out, is_diffused)


@dataclass(frozen=True)
class EarlierPrototypes:
    """What was found before a few labels changed.

    Attributes:
        labels: as they were.
        graph: the prototypes there.
        features: theirs, or None.
    """

    labels: Labels
    graph: GraphPrototypes
    features: FeaturePrototypes | None

    def refit(
        self,
        points: FittedPoints,
        labels: Labels,
        generator: torch.Generator,
        settings: PrototypeSettings,
    ) -> tuple[GraphPrototypes, FeaturePrototypes | None]:
        """Find the prototypes again, without folds and restarts; see `fit_prototypes`."""
        sample = draw_sample(points, labels, generator, settings)
        sharper, view = settings.sharper(labels.n_classes), self.graph.view
        (found,) = find_directions(view, [labels], view.at(sample), settings, sharper)
        graph = replace(self.graph, directions=found, held_out=self._hold_out(self.graph, labels))
        if self.features is None:
            return graph, None
        view = self.features.view
        (found,) = find_directions(view, [labels], view.at(sample), settings)
        held_out = self._hold_out(self.features, labels)
        return graph, replace(self.features, directions=found, held_out=held_out)

    def _hold_out(self, part: GraphPrototypes | FeaturePrototypes, labels: Labels) -> Tensor:
        """Return scores (n, K) of labels, each learned without it.

        Those that were there keep their scores; what was learned before has not seen the new ones.
        """
        places = dict(zip(self.labels.rows.tolist(), part.held_out, strict=True))
        scores = part.directions.score(part.view.at(labels.rows)).double()
        kept = [places.get(row, own) for row, own in zip(labels.rows.tolist(), scores, strict=True)]
        return torch.stack(kept)


def draw_sample(
    points: FittedPoints, labels: Labels, generator: torch.Generator, settings: PrototypeSettings
) -> Tensor:
    """Return the points that refine prototypes: the first that are drawn."""
    order = torch.randperm(points.operator.n_points, generator=generator)
    return order[: settings.sample_size(labels.n_classes)]


def _score_folds(
    view: View, directions: list[Directions], out: list[Tensor], labels: Labels
) -> Tensor:
    """Return the scores of the labels (n, K), each learned without its fold.

    They are 0 where a label is the only one of its class, and never held out.

    Args:
        view: of the points.
        directions: learned without a fold, for each.
        out: (n,) which labels are in the fold, for each.
        labels: all of them.
    """
    scores = torch.zeros(len(labels.rows), labels.n_classes, dtype=torch.float64)
    for one, held in zip(directions, out, strict=True):
        scores[held] = one.score(view.at(labels.rows[held])).double()
    return scores
