"""The mixture: several ways to learn from labels, weighed by how well they foresee held-out ones.

The parts are prototypes in the graph and of the features, labels spread over the graph, the
features alone, and features and graph together; `weighing` says how they are weighed. Beforehand it
is expected that prototypes have a weight that falls with the number of labels per class, and ridge
regression, most of it of features and graph together, the rest. With one label per class nothing
can be held out: prototypes are weighed by how stable the classes are in the graph, and the
propagation counts as much as they do.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from diffresnet.estimators.parts.part import Part, sum_parts
from diffresnet.estimators.parts.prototypes import (
    EarlierPrototypes,
    FeaturePrototypes,
    GraphPrototypes,
    fit_prototypes,
)
from diffresnet.estimators.parts.ridges import fit_ridges
from diffresnet.estimators.points import FittedPoints
from diffresnet.estimators.solvers.solved_mixture import Basis, SolvedMixture
from diffresnet.learning.labels import Labels
from diffresnet.learning.mixture_settings import MixtureSettings
from diffresnet.learning.sampling import Beforehand, LabelSampling, proportions_beforehand
from diffresnet.learning.settling import settle, settle_cold
from diffresnet.learning.strength import Strength
from diffresnet.learning.weighing import Weighed, weigh

FEWEST_FOR_WARM = 50
WARM_PART = 0.1
"""Choices of this number of labels or more stay as they are while at most this part of the labels
has changed."""

RIDGE_WEIGHTS = (0.15, 0.15, 0.7)
"""Of propagation, features and both together, where there are very many labels, beforehand."""


@dataclass(frozen=True)
class MixtureSolver:
    """Learn by all parts, and weigh them; see this module.

    Attributes:
        sampling: how the labeled points were drawn.
        settings: its constants.
        before: what was learned before a few labels changed, whose choices may stay; or None.
    """

    sampling: LabelSampling = "auto"
    settings: MixtureSettings = field(default_factory=MixtureSettings)
    before: SolvedMixture | None = None

    def solve(
        self,
        points: FittedPoints,
        labels: Labels,
        strength: Strength,
        generator: torch.Generator,
    ) -> SolvedMixture:
        """Learn from the labels in every way, and weigh the ways."""
        earlier, basis = _still_valid(self.before, labels)
        settings = self.settings.prototypes
        if earlier is None:
            graph, features = fit_prototypes(points, labels, strength, generator, settings)
        else:
            graph, features = earlier.refit(points, labels, generator, settings)
        prototypes: list[Part] = [graph] if features is None else [graph, features]
        expected = self._expect(graph.stability, labels.n_classes)[: len(prototypes)]
        given = points, labels, strength.step_size, generator
        ridges, choices = fit_ridges(*given, basis and basis.ridges)
        draws = generator.get_state() if basis is None else basis.draws
        generator.set_state(draws)  # an update that changes nothing changes no answer
        n_sampled = settings.sample_size(labels.n_classes)
        sample = _draw_unlabeled(points, labels, n_sampled, generator)
        places = points.some_places(sample)
        seen_by = [one.score(places) for one in prototypes]
        seen_by += sum_parts([[(1.0, one)] for one in ridges], places)
        shown = torch.stack([one.double() for one in seen_by])
        trial = _Trial((*prototypes, *ridges), shown, torch.tensor(expected).double())
        before = proportions_beforehand(labels, self.sampling)
        seen = labels.can_be_held_out
        if not bool(seen.any()):
            return self._start_cold(trial, before)
        held_out = torch.stack([part.held_out[seen].double() for part in trial.parts])
        weighed = self._weigh(trial, held_out, labels, before, basis and basis.weighed)
        weights, biases = settle(weighed, shown, held_out, labels, before)
        mixed = SolvedMixture.of(trial.parts, tuple(weights.tolist()), biases, trial.spreads)
        basis = basis or Basis(labels, choices, weighed, draws)
        return replace(mixed.with_held_out(labels), labels=labels, basis=basis)

    def _expect(self, stability: float, n_classes: int) -> list[float]:
        """Return the weights of both kinds of prototypes where no label can be held out."""
        settings = self.settings.prototypes
        trust = settings.trust(stability)
        scale = trust / settings.sharper(n_classes)
        return [scale * trust, scale * (1 - trust)]

    def _weigh(
        self,
        trial: "_Trial",
        held_out: Tensor,
        labels: Labels,
        before: Beforehand,
        earlier: Weighed | None,
    ) -> Weighed:
        """Weigh the parts by the scores (P, L, K) of held-out labels."""
        n_prototypes, n_parts = len(trial.expected), len(trial.parts)
        fade = labels.n_classes / len(labels.rows)
        ridge_weights = RIDGE_WEIGHTS if n_parts > n_prototypes + 1 else (1.0,)
        usual = [trial.relative_scale(one) for one in range(n_prototypes, n_parts)]
        return weigh(
            list(held_out),
            labels.classes[labels.can_be_held_out],
            expected=(*(fade * trial.expected).tolist(), *((1 - fade) * w for w in ridge_weights)),
            usual_scales=(*(None for _ in trial.expected), *usual),
            biases=before.biases,
            doubt=self.settings.doubt,
            earlier=earlier,
        )

    def _start_cold(self, trial: "_Trial", before: Beforehand) -> SolvedMixture:
        """Weigh the parts where no label can be held out: prototypes, and the propagation."""
        n_prototypes, n_parts = len(trial.expected), len(trial.parts)
        weights = torch.zeros(n_parts, dtype=torch.float64)
        weights[:n_prototypes] = trial.expected
        added = self.settings.propagation_weight * trial.relative_scale(n_prototypes)
        weights[n_prototypes] = added
        weights = settle_cold(weights, trial.shown, before)
        biases = torch.zeros_like(trial.shown[0, 0])
        return SolvedMixture.of(trial.parts, tuple(weights.tolist()), biases, trial.spreads)


def _still_valid(
    before: SolvedMixture | None, labels: Labels
) -> tuple[EarlierPrototypes | None, Basis | None]:
    """Return the prototypes and the choices from before, if few labels have changed since."""
    if before is None or before.basis is None or before.labels is None:
        return None, None
    basis, (graph, features) = before.basis, before.parts[:2]
    if (
        basis.labels.n_classes != labels.n_classes
        or len(basis.labels.rows) < FEWEST_FOR_WARM
        or int(basis.labels.counts.min()) < 2
        or labels.n_changed(basis.labels) > WARM_PART * len(basis.labels.rows)
        or not isinstance(graph, GraphPrototypes)
    ):
        return None, None
    known = features if isinstance(features, FeaturePrototypes) else None
    return EarlierPrototypes(before.labels, graph, known), basis


@dataclass(frozen=True)
class _Trial:
    """The parts, and what they say of points without a label.

    Attributes:
        parts: prototypes first, then the propagation, then others.
        shown: (P, n, K) their scores of these points.
        expected: (p,) the weights of the prototypes beforehand.
    """

    parts: tuple[Part, ...]
    shown: Tensor
    expected: Tensor

    @cached_property
    def by_prototypes(self) -> Tensor:
        """The scores (n, K) by the prototypes alone."""
        return torch.tensordot(self.expected, self.shown[: len(self.expected)], 1)

    def relative_scale(self, part: int) -> float:
        """Return what makes the scores of a part differ as much as those by the prototypes."""
        return max(1e-12, self._prototype_spread / max(1e-12, self.spreads[part]))

    @cached_property
    def spreads(self) -> list[float]:
        """How much the scores of a point differ, for each part."""
        return _deviations(self.shown).mean(dim=1).tolist()

    @cached_property
    def _prototype_spread(self) -> float:
        return float(_deviations(self.by_prototypes).mean())


def _deviations(scores: Tensor) -> Tensor:
    """Return the deviation of the scores (..., K) of each point; faster than `torch.std`."""
    moved = scores - scores.mean(dim=-1, keepdim=True)
    return (moved.square_().sum(dim=-1) / max(1, scores.shape[-1] - 1)).sqrt_()


def _draw_unlabeled(
    points: FittedPoints, labels: Labels, n_sampled: int, generator: torch.Generator
) -> Tensor:
    """Return some points without a label that a label reaches; if there are none, some points."""
    order = torch.randperm(points.operator.n_points, generator=generator)
    components = points.components
    is_free = torch.from_numpy(np.isin(components, components[labels.rows.numpy()]))
    is_free[labels.rows] = False
    return (order[is_free[order]] if bool(is_free.any()) else order)[:n_sampled]
