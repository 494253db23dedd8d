"""The mixture: several ways to learn from labels, weighed by how well they foresee held-out ones.

The parts are prototypes in the graph and of the features, labels spread over the graph, the
features alone, and features and graph together; `weighing` says how they are weighed. Beforehand it
is expected that prototypes have a weight that falls with the number of labels per class, and ridge
regression, most of it of features and graph together, the rest. With one label per class nothing
can be held out: prototypes are weighed by how stable the classes are in the graph, and there is
some of the propagation.
"""

from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import torch
from scipy.stats import chi2
from torch import Tensor

from diffresnet.estimators.audit import HeldOut
from diffresnet.estimators.parts.features import choose_kernel, feature_kernels, fit_features
from diffresnet.estimators.parts.part import Part, RidgePart, Targets
from diffresnet.estimators.parts.propagation import GraphKernel, fit_propagation
from diffresnet.estimators.parts.prototypes import fit_prototypes
from diffresnet.estimators.parts.settings import PrototypeSettings
from diffresnet.estimators.parts.together import fit_together
from diffresnet.estimators.points import FittedPoints, Places
from diffresnet.estimators.strength import Strength
from diffresnet.estimators.weighing import SCALES, weigh
from diffresnet.learning.calibration import estimate_proportions
from diffresnet.learning.labels import Labels

RIDGE_WEIGHTS = (0.15, 0.15, 0.7)
"""Of propagation, features and both together, where there are very many labels, beforehand."""

LabelSampling: TypeAlias = Literal["auto", "random", "per class"]

TOO_EVEN = 0.05
"""Counts of labels that random draws would seldom give are taken for draws per class."""

N_SAMPLED = 4000
"""Points without a label that confidence and class proportions are measured on, at most."""


@dataclass(frozen=True)
class MixtureSettings:
    """What the mixture depends on.

    Attributes:
        prototypes: the settings of that part.
        doubt: how far weights may be from those expected beforehand.
        evenness: of the class proportions beforehand; see `estimate_proportions`. It is divided by
            the number of labels per class.
        propagation_weight: of the propagation in the cold start, in units of the prototypes.
    """

    prototypes: PrototypeSettings = field(default_factory=PrototypeSettings)
    doubt: float = 0.3
    evenness: float = 2.0
    propagation_weight: float = 0.3


@dataclass(frozen=True)
class SolvedMixture:
    """What was learned by the mixture.

    Attributes:
        parts: of it.
        weights: of their scores.
        biases: (K,) of the classes.
        influences: how much each moves the scores, in parts of one.
        held_out: labels that were held out, and their probabilities; None if none could be.
    """

    parts: tuple[Part, ...]
    weights: tuple[float, ...]
    biases: Tensor
    influences: tuple[float, ...]
    held_out: HeldOut | None = None

    def score(self, places: Places) -> Tensor:
        """Return the scores (n, K)."""
        scores = self.biases + self.weights[0] * self.parts[0].score(places).double()
        for weight, part in zip(self.weights[1:], self.parts[1:], strict=True):
            if weight > 0:
                scores = scores + weight * part.score(places).double()
        return scores

    @property
    def remarks(self) -> tuple[str, ...]:
        """Say what the answer rests on."""
        order = sorted(range(len(self.parts)), key=lambda one: -self.influences[one])
        named = [
            f"{self.parts[one].name} {self.influences[one]:.0%}"
            for one in order
            if self.influences[one] >= 0.005
        ]
        return ("The answer rests on " + ", ".join(named) + ".",) if named else ()


@dataclass(frozen=True)
class MixtureSolver:
    """Learn by all parts, and weigh them; see this module.

    Attributes:
        sampling: how the labeled points were drawn.
        settings: its constants.
    """

    sampling: LabelSampling = "auto"
    settings: MixtureSettings = field(default_factory=MixtureSettings)

    def solve(
        self,
        points: FittedPoints,
        labels: Labels,
        strength: Strength,
        generator: torch.Generator,
    ) -> SolvedMixture:
        """Learn from the labels in every way, and weigh the ways."""
        graph, features = fit_prototypes(
            points, labels, strength, generator, self.settings.prototypes
        )
        stability, n_classes = graph.stability, labels.n_classes
        view_weight = 1.0
        parts: list[Part] = [graph]
        if features is not None:
            view_weight = self.settings.prototypes.view_weight(stability)
            parts.append(features)
        scale = self.settings.prototypes.scale(stability, n_classes)
        expected = [scale * view_weight, scale * (1 - view_weight)][: len(parts)]
        ridges = fit_ridges(points, labels, strength.step_size, generator)
        sample = _draw_unlabeled(points.operator.n_points, labels, generator)
        places = points.some_places(sample)
        shown = [part.score(places).double() for part in (*parts, *ridges)]
        before = proportions_beforehand(labels, self.sampling)
        biases = before.log() - before.log().mean()
        seen = labels.counts[labels.classes] > 1
        if bool(seen.any()):
            fade = labels.n_classes / len(labels.rows)
            shares = RIDGE_WEIGHTS if len(ridges) > 1 else (1.0,)
            weighed = weigh(
                [part.held_out[seen] for part in (*parts, *ridges)],
                labels.classes[seen],
                expected=(*(fade * one for one in expected), *((1 - fade) * w for w in shares)),
                n_scaled=len(parts),
                biases=biases,
                doubt=self.settings.doubt,
            )
            weights, biases = list(weighed.weights), weighed.biases
        else:
            weights = self._cold_start(shown, expected)
        mixed = _mix((*parts, *ridges), weights, biases, shown)
        return _with_held_out(self._adapt(mixed, places, labels, before), labels, seen)

    def _adapt(
        self, mixed: SolvedMixture, places: Places, labels: Labels, before: Tensor
    ) -> SolvedMixture:
        """Adapt to the class proportions that points without a label speak for."""
        logs = mixed.score(places).log_softmax(dim=1)
        evenness = self.settings.evenness * labels.n_classes / len(labels.rows)
        found = estimate_proportions(logs, before, evenness)
        shift = (found / before).log()
        # One label beside many: that its class is rare is not for the other classes to say.
        is_new = (labels.counts == 1) & (labels.counts.max() > 1)
        shift = torch.where(is_new, shift.clamp(min=0), shift)
        return replace(mixed, biases=mixed.biases + shift)

    def _cold_start(self, shown: list[Tensor], expected: list[float]) -> list[float]:
        """Return the weights where no label can be held out.

        Confidence is half what stability says, half how often the prototypes and the propagation
        agree, squared: two ways to be wrong are seldom wrong alike.

        Args:
            shown: scores (n, K) of each part, prototypes first, then the propagation.
            expected: weights of the prototypes.
        """
        n_prototypes = len(expected)
        base = sum(map(torch.mul, shown, map(torch.tensor, expected)))
        base = torch.as_tensor(base)
        spread = shown[n_prototypes]
        ratio = base.std(dim=1).mean() / spread.std(dim=1).mean().clamp(min=1e-12)
        weight = self.settings.propagation_weight * float(ratio)
        mixed = base + weight * spread
        agreement = float((base.argmax(dim=1) == spread.argmax(dim=1)).double().mean())
        target = (_confidence(mixed) + agreement**2) / 2
        scale = min(SCALES, key=lambda one: abs(_confidence(one * mixed) - target))
        rest = [0.0] * (len(shown) - n_prototypes - 1)
        return [scale * one for one in (*expected, weight, *rest)]


def proportions_beforehand(labels: Labels, sampling: LabelSampling) -> Tensor:
    """Return the class proportions (K,) that the labels speak for, before anything else does.

    Points drawn at random have labels as common as the classes are; the same number of each class
    says nothing. ``"auto"`` takes labels for drawn per class if their counts are more even than
    random draws from even classes would be in 95 of 100 cases.
    """
    counts = labels.counts.double()
    if sampling == "auto":
        spread = float((counts - counts.mean()).square().sum() / counts.mean())
        is_even = spread == 0 or chi2.cdf(spread, labels.n_classes - 1) < TOO_EVEN
        sampling = "per class" if is_even else "random"
    if sampling == "per class":
        return torch.full_like(counts, 1 / labels.n_classes)
    return (counts + 1) / (counts.sum() + labels.n_classes)


def fit_ridges(
    points: FittedPoints, labels: Targets, step_size: float, generator: torch.Generator
) -> list[RidgePart]:
    """Learn from labels by kernels: of the graph, and of the features if there are any."""
    graph = GraphKernel.of(points, labels)
    parts = [fit_propagation(graph, labels)]
    if points.points is None:
        return parts
    order = torch.randperm(len(labels.rows), generator=generator)
    kernels = list(feature_kernels(points, labels, step_size, generator))
    features = choose_kernel(kernels, labels, order)
    parts.append(fit_features(features, labels))
    parts.append(fit_together(graph, features, labels, order))
    return parts


def _mix(
    parts: tuple[Part, ...], weights: list[float], biases: Tensor, shown: list[Tensor]
) -> SolvedMixture:
    pairs = zip(weights, shown, strict=True)
    moved = [weight * float(one.std(dim=1).mean()) for weight, one in pairs]
    total = sum(moved) or 1.0
    return SolvedMixture(parts, tuple(weights), biases, tuple(one / total for one in moved))


def _draw_unlabeled(n_points: int, labels: Labels, generator: torch.Generator) -> Tensor:
    """Return some points without a label, or all points if every one has a label."""
    order = torch.randperm(n_points, generator=generator)
    is_free = ~torch.isin(order, labels.rows)
    return (order[is_free] if bool(is_free.any()) else order)[:N_SAMPLED]


def _with_held_out(mixed: SolvedMixture, labels: Labels, seen: Tensor) -> SolvedMixture:
    """Add the probabilities of held-out labels, by the weights that were found with them."""
    if not bool(seen.any()):
        return mixed
    scores = torch.zeros(int(seen.sum()), labels.n_classes, dtype=torch.float64) + mixed.biases
    for weight, part in zip(mixed.weights, mixed.parts, strict=True):
        scores = scores + weight * part.held_out[seen].double()
    rows, classes = labels.rows[seen].numpy(), labels.classes[seen].numpy()
    found = HeldOut(rows, classes, scores.softmax(dim=1).numpy())
    return replace(mixed, held_out=found)


def _confidence(scores: Tensor) -> float:
    return float(scores.softmax(dim=1).amax(dim=1).mean())
