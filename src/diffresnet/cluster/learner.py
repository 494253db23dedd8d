"""What is learned from the labels, and how any point is scored: the rows of a few points suffice.

Four of the five parts of the classifier's mixture, weighed by held-out labels as there: prototypes
in the graph, prototypes of the features, labels spread over the graph, and features and graph
together. The features alone are left out, and so is the choice between several kernels of them.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from diffresnet.cluster.part_weights import weigh_parts
from diffresnet.cluster.work import Array
from diffresnet.diffusion.spectrum import Spectrum
from diffresnet.learning.directions import Directions, find_directions
from diffresnet.learning.labels import Labels
from diffresnet.learning.mixture_settings import GRAPH_WEIGHTS, N_REFERENCES
from diffresnet.learning.prototype_settings import PrototypeSettings
from diffresnet.learning.ridge import Ridge
from diffresnet.learning.stability import measure_stability
from diffresnet.learning.strength import default_steps
from diffresnet.learning.views import View

STEP_SIZE = 0.5
SMALLEST = 1e-6


@dataclass(frozen=True)
class Seen:
    """Rows of the labeled points, then of a sample: all that is learned from.

    Attributes:
        labels: whose rows are 0 to n - 1.
        modes: (n + S, w) of the graph.
        points: (n + S, d).
        columns: (n + S, n) the graph's kernel between these points and the labeled ones.
        rates: (w,) of the modes.
        mode_means: (w,) over all points.
    """

    labels: Labels
    modes: Tensor
    points: Tensor
    columns: Tensor
    rates: Tensor
    mode_means: Tensor

    @property
    def sample(self) -> Tensor:
        """The rows of the sample, without those that have a label."""
        return torch.arange(len(self.labels.rows), len(self.modes))


@dataclass(frozen=True)
class Gaussian:
    """exp(-factor |x - y|^2), centered by references, and divided by a scale.

    Attributes:
        own: (n, d) the labeled points y.
        references: (m, d) points that stand for all.
        factor: what squared distances are multiplied by.
        scale: what the kernel is divided by.
    """

    own: Tensor
    references: Tensor
    factor: float
    scale: float = 1.0

    def rows(self, points: Tensor) -> Tensor:
        """Return the kernel between some points and the labeled ones, (N, n), in float64."""
        to_all = self._between(self.references, self.references).mean()
        own = self._between(self.own, self.references).mean(dim=1)
        theirs = self._between(points, self.references).mean(dim=1, keepdim=True)
        return (self._between(points, self.own) - own - theirs + to_all) / self.scale

    def _between(self, left: Tensor, right: Tensor) -> Tensor:
        left, right = left.double(), right.double()
        squares = torch.addmm(right.square().sum(dim=1), left, right.mT, alpha=-2)
        squares = squares.add_(left.square().sum(dim=1, keepdim=True)).clamp_(min=0)
        return squares.mul_(-self.factor).exp_()


@dataclass(frozen=True)
class Scorer:
    """How any point is scored.

    Attributes:
        graph: where diffusion puts the points, and what scores them there.
        features: the same of the features.
        gaussian: the kernel of the features.
        weights: of the two kinds of prototypes.
        coefficients: (n, K) of the labeled points, for the kernel of the features.
        spread: (n, K) those for the kernel of the graph: `answer` is given what they make of it.
        spread_means: (K,) what is taken off that, once it is known.
        biases: (K,) of the classes.
        components: those of the graph that have a label.
    """

    graph: tuple[View, Directions]
    features: tuple[View, Directions]
    gaussian: Gaussian
    weights: tuple[float, float]
    coefficients: Tensor
    spread: Tensor
    spread_means: Tensor
    biases: Tensor
    components: Array

    def score(self, modes: Tensor, points: Tensor, spread: Tensor) -> Tensor:
        """Return the scores (n, K) of points.

        Args:
            modes: (n, w) of the graph.
            points: (n, d).
            spread: (n, K) what the coefficients of the labeled points make of them by the graph.
        """
        parts = zip(self.weights, (self.graph, self.features), (modes, points), strict=True)
        total = self.biases + spread.double() - self.spread_means
        for weight, (view, directions), raw in parts:
            total = total + weight * directions.score(view.place(raw)).double()
        return total + self.gaussian.rows(points) @ self.coefficients

    def answer(self, modes: Array, points: Array, spread: Array, components: Array) -> Array:
        """Return class, probability, margin and whether a label reaches them, (n, 4)."""
        given = (torch.from_numpy(one) for one in (modes, points, spread))
        found = self.score(*given).softmax(dim=1)
        reached = np.isin(components, self.components)
        found[torch.from_numpy(~reached)] = 1 / found.shape[1]
        best = found.topk(min(2, found.shape[1]), dim=1)
        margins = best.values[:, 0] - best.values[:, -1]
        columns = best.indices[:, 0].double(), best.values[:, 0], margins
        return np.column_stack([*(one.numpy() for one in columns), reached])


def learn(seen: Seen, seed: int) -> Scorer:
    """Learn from labels by all parts, and weigh these.

    Args:
        seen: the rows of labeled points and a sample.
        seed: of folds and restarts.
    """
    generator, settings = torch.Generator().manual_seed(seed), PrototypeSettings()
    labels, n_classes = seen.labels, seen.labels.n_classes
    spectrum = Spectrum(seen.rates, seen.modes[:0])
    n_steps = default_steps(spectrum, STEP_SIZE, n_classes)
    decay = spectrum.decay(STEP_SIZE, n_steps)
    graph_view = View(seen.modes, decay, seen.mode_means * decay)
    feature_view = View.of_features(seen.points[seen.sample] if len(seen.sample) else seen.points)
    feature_view = View(seen.points, feature_view.factors, feature_view.center)
    sample = seen.sample if len(seen.sample) else labels.rows
    sample = sample[: settings.sample_size(n_classes)]
    folds = _folds(labels, settings, generator)
    sharper = settings.sharper(n_classes)
    graph = _fit_view(graph_view, labels, folds, sample, sharper)
    features = _fit_view(feature_view, labels, folds, sample)
    n_restarts = max(1, round(settings.n_restarts * n_classes / len(labels.rows)))
    stability = measure_stability(
        graph_view.at(sample), graph[0], generator, settings, n_restarts=n_restarts
    )
    ridges = _Ridges.fit(seen, sample)
    shown = torch.stack(
        [
            graph[0].score(graph_view.at(sample)).double(),
            features[0].score(feature_view.at(sample)).double(),
            *ridges.score(seen, sample),
        ]
    )
    held_out = [graph[1], features[1], ridges.graph.held_out, ridges.both.held_out]
    trust = settings.trust(stability)
    expected = [trust * trust / sharper, trust * (1 - trust) / sharper]
    weights, biases = weigh_parts(labels, shown, held_out, torch.tensor(expected).double())
    spread, coefficients, bias = ridges.combine(weights[2:])
    return Scorer(
        (_small(graph_view), graph[0]),
        (_small(feature_view), features[0]),
        ridges.gaussian,
        (weights[0], weights[1]),
        coefficients,
        spread,
        torch.zeros(n_classes, dtype=torch.float64),
        biases + bias,
        np.zeros(0, np.int64),
    )


def _small(view: View) -> View:
    """Return a view without the points: what is sent to every block."""
    return View(view.raw[:0].clone(), view.factors, view.center)


Folds = list[tuple[Labels, Tensor]]


def _folds(labels: Labels, settings: PrototypeSettings, generator: torch.Generator) -> Folds:
    n_folds = min(settings.n_folds, int(labels.counts.max()))
    return list(labels.folds(n_folds, generator)) if n_folds > 1 else []


def _fit_view(
    view: View,
    labels: Labels,
    folds: Folds,
    sample: Tensor,
    sharper: float = 1.0,
) -> tuple[Directions, Tensor]:
    """Return what scores points of a view, and the scores of held-out labels (n, K)."""
    settings = PrototypeSettings()
    sets = [labels, *(one for one, _ in folds)]
    found, *without = find_directions(view, sets, view.at(sample), settings, sharper)
    held_out = torch.zeros(len(labels.rows), labels.n_classes, dtype=torch.float64)
    for one, (_, out) in zip(without, folds, strict=True):
        held_out[out] = one.score(view.at(labels.rows[out])).double()
    return found, held_out


@dataclass(frozen=True)
class _Ridges:
    """Kernel ridge regression by the graph, and by features and graph together.

    Attributes:
        gaussian: the kernel of the features.
        scale: what the kernel of the graph is divided by.
        graph: the solution by the graph.
        both: that by both.
        weight: of the graph in the latter.
    """

    gaussian: Gaussian
    scale: float
    graph: Ridge
    both: Ridge
    weight: float

    @classmethod
    def fit(cls, seen: Seen, sample: Tensor) -> "_Ridges":
        labels = seen.labels
        own, references = seen.points[labels.rows], seen.points[sample[:N_REFERENCES]]
        squares = torch.cdist(references.double(), references.double()).square()
        median = float(squares.median())
        gaussian = Gaussian(own, references, 1 / median if median > 0 else 1.0)
        feature_gram = gaussian.rows(own)
        scale = _unless_zero(float(feature_gram.diagonal().mean()))
        gaussian = Gaussian(own, references, gaussian.factor, scale)
        feature_gram = feature_gram / scale
        graph_gram = seen.columns[labels.rows].double()
        graph_scale = _unless_zero(float(graph_gram.diagonal().mean()))
        graph_gram = (graph_gram + graph_gram.mT) / (2 * graph_scale)

        def solve(weight: float) -> Ridge:
            return labels.regress(torch.lerp(feature_gram, graph_gram, weight))

        weight = min(GRAPH_WEIGHTS, key=lambda one: solve(one).error)
        return cls(gaussian, graph_scale, solve(1.0), solve(weight), weight)

    def score(self, seen: Seen, rows: Tensor) -> list[Tensor]:
        """Return the scores of some rows by both, each (n, K)."""
        by_graph = seen.columns[rows].double() / self.scale
        mixed = torch.lerp(self.gaussian.rows(seen.points[rows]), by_graph, self.weight)
        pairs = ((by_graph, self.graph), (mixed, self.both))
        return [kernel @ one.coefficients + one.bias for kernel, one in pairs]

    def combine(self, weights: tuple[float, ...]) -> tuple[Tensor, Tensor, Tensor]:
        """Return coefficients for the graph's kernel and the features', and the bias."""
        first, second = weights
        spread = first * self.graph.coefficients + second * self.weight * self.both.coefficients
        bias = first * self.graph.bias + second * self.both.bias
        return spread / self.scale, second * (1 - self.weight) * self.both.coefficients, bias


def _unless_zero(scale: float) -> float:
    return scale if scale > SMALLEST else 1.0
