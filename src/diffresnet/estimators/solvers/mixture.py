"""The mixture: several ways to learn from labels, weighed by how well they foresee held-out ones.

The parts are prototypes in the graph and of the features, labels spread over the graph, the
features alone, and features and graph together. The score of a class is a weighted sum of theirs.
Where labels can be held out, the weights have the largest likelihood of these labels times a
normal density around the weights of a cold start, which so fade as labels grow in number. With one
label per class the cold start is all there is: prototypes, weighed by how stable the classes are in
the graph, and some of the propagation.
"""

from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import torch
from scipy.optimize import minimize
from scipy.special import log_softmax
from scipy.stats import chi2
from torch import Tensor

from diffresnet.estimators.audit import HeldOut
from diffresnet.estimators.parts.features import choose_kernel, feature_kernels, fit_features
from diffresnet.estimators.parts.part import Part, RidgePart
from diffresnet.estimators.parts.propagation import GraphKernel, fit_propagation
from diffresnet.estimators.parts.prototypes import fit_prototypes
from diffresnet.estimators.parts.settings import PrototypeSettings
from diffresnet.estimators.parts.together import fit_together
from diffresnet.estimators.points import FittedPoints, Places
from diffresnet.estimators.strength import Strength
from diffresnet.learning.calibration import estimate_proportions, held_out_losses
from diffresnet.learning.labels import Labels

SCALES = tuple(2.0 ** (step / 2) for step in range(-8, 17))
"""What scores may be multiplied by, to make the probabilities honest."""

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
        doubt: how far weights may be from those of the cold start.
        evenness: of the class proportions beforehand; see `estimate_proportions`. It is divided by
            the number of labels per class.
        propagation_weight: of the propagation in the cold start, in units of the prototypes.
    """

    prototypes: PrototypeSettings = field(default_factory=PrototypeSettings)
    doubt: float = 0.5
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
        return ("The answer rests on " + ", ".join(named) + ".",)


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
            held_out = [part.held_out[seen] for part in (*parts, *ridges)]
            doubt = self.settings.doubt
            weights, biases = weigh(held_out, labels.classes[seen], expected, biases, doubt)
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
        return replace(mixed, biases=mixed.biases + (found / before).log())

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
    points: FittedPoints, labels: Labels, step_size: float, generator: torch.Generator
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


def weigh(
    held_out: list[Tensor],
    classes: Tensor,
    expected: list[float],
    biases: Tensor,
    doubt: float,
) -> tuple[list[float], Tensor]:
    """Return weights of the parts, and biases of the classes, that fit held-out labels.

    Args:
        held_out: (n, K) scores of the labels, of each part.
        classes: (n,) of these.
        expected: the weights of the first parts beforehand; of the others it is 0.
        biases: (K,) of the classes beforehand.
        doubt: the deviation of a weight from that, after the scores of other parts were scaled to
            fit the labels best; and of a bias.

    Returns:
        The non-negative weights, and the biases, with the largest likelihood, times how likely
        they are beforehand.
    """
    scales = [1.0] * len(expected)
    for scores in held_out[len(expected) :]:
        losses = held_out_losses(scores, classes, SCALES)
        scales.append(SCALES[int(losses.argmin())])
    scaled = torch.stack([s * one for s, one in zip(scales, held_out, strict=True)]).numpy()
    n_parts, n_labels, n_classes = scaled.shape
    usual = np.zeros(n_parts + n_classes)
    usual[: len(expected)] = expected
    usual[n_parts:] = biases.numpy()
    places = (np.arange(n_labels), classes.numpy())

    def loss(found: Any) -> tuple[float, Any]:
        scores = np.tensordot(found[:n_parts], scaled, 1) + found[n_parts:]
        logs = log_softmax(scores, axis=1)
        wrong = np.exp(logs)
        wrong[places] -= 1
        off = found - usual
        slopes = np.concatenate([np.einsum("nk,pnk->p", wrong, scaled), wrong.sum(axis=0)])
        value = -logs[places].sum() + off @ off / (2 * doubt**2)
        return value, slopes + off / doubt**2

    bounds = [(0, None)] * n_parts + [(None, None)] * n_classes
    found: Any = minimize(loss, usual, jac=True, method="L-BFGS-B", bounds=bounds).x
    weights = [float(one * scale) for one, scale in zip(found, scales, strict=False)]
    return weights, torch.from_numpy(found[n_parts:])


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
