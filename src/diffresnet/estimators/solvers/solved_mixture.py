"""What the mixture learned: its parts, and how much each counts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from diffresnet.estimators.held_out import HeldOut
from diffresnet.estimators.parts.part import Part, RidgePart, sum_parts
from diffresnet.estimators.parts.ridges import Choices
from diffresnet.estimators.points import Places
from diffresnet.learning.labels import Labels
from diffresnet.learning.weighing import Weighed


@dataclass(frozen=True)
class Basis:
    """What the choices of a mixture rest on; a few labels more would choose the same.

    Attributes:
        labels: that have chosen.
        ridges: what they chose.
        weighed: how they weighed the parts.
        draws: state of the generator that draws points without a label.
    """

    labels: Labels
    ridges: Choices
    weighed: Weighed
    draws: Tensor


@dataclass(frozen=True)
class SolvedMixture:
    """What was learned by the mixture.

    Attributes:
        parts: of it.
        weights: of their scores.
        biases: (K,) of the classes.
        influences: how much each moves the scores, in parts of one.
        held_out: labels that were held out, and their probabilities; None if none could be.
        labels: it was learned from; None before that is known.
        basis: of its choices; None if no label could be held out.
    """

    parts: tuple[Part, ...]
    weights: tuple[float, ...]
    biases: Tensor
    influences: tuple[float, ...]
    held_out: HeldOut | None = None
    labels: Labels | None = None
    basis: Basis | None = None

    @classmethod
    def of(
        cls,
        parts: tuple[Part, ...],
        weights: tuple[float, ...],
        biases: Tensor,
        spreads: Sequence[float],
    ) -> "SolvedMixture":
        """Mix parts, whose scores of a point have these standard deviations in the mean."""
        moved = [weight * spread for weight, spread in zip(weights, spreads, strict=True)]
        total = sum(moved) or 1.0
        return cls(parts, weights, biases, tuple(one / total for one in moved))

    def with_held_out(self, labels: Labels) -> "SolvedMixture":
        """Add the probabilities of the labels that can be held out."""
        seen = labels.can_be_held_out
        scores = torch.stack([part.held_out[seen].double() for part in self.parts])
        sums = torch.tensordot(torch.tensor(self.weights).double(), scores, 1) + self.biases
        rows, classes = labels.rows[seen].numpy(), labels.classes[seen].numpy()
        found = HeldOut(rows, classes, sums.softmax(dim=1).numpy())
        return replace(self, held_out=found)

    def score(self, places: Places) -> Tensor:
        """Return the scores (n, K), of fitted points in single precision."""
        pairs = list(zip(self.weights, self.parts, strict=True))
        ridges = [(weight, one) for weight, one in pairs if isinstance(one, RidgePart)]
        found = [
            weight * one.score(places) for weight, one in pairs if not isinstance(one, RidgePart)
        ]
        counting = [(weight, one) for weight, one in ridges if weight > 0]
        if counting:
            found += sum_parts([counting], places)
        return torch.stack(found).sum(dim=0).add_(self.biases)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Say which parts of the mixture decide."""
        order = sorted(range(len(self.parts)), key=lambda one: -self.influences[one])
        named = [
            f"{self.parts[one].name} {self.influences[one]:.0%}"
            for one in order
            if self.influences[one] >= 0.005
        ]
        if not named:
            return ()
        return (f"How much each way of learning decides: {', '.join(named)}.",)
