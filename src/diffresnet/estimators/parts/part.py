"""What a part is: scores of any points, and of labels that it has not seen."""

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from diffresnet.estimators.points import Places
from diffresnet.learning.ridge import RIDGES, Ridge

SMALLEST_KERNEL = 1e-6
"""Kernels below it are rounding errors: all points are equal to them."""


class Part(Protocol):
    """A way to learn from labels, once it has."""

    @property
    def name(self) -> str:
        """What it is called in a diagnosis."""
        ...

    @property
    def held_out(self) -> Tensor:
        """Scores of the labeled points (n, K), each learned without it, or without its fold."""
        ...

    def score(self, places: Places) -> Tensor:
        """Return the scores (n, K) of any points."""
        ...


class Targets(Protocol):
    """What is known of some points: labels, or values."""

    @property
    def rows(self) -> Tensor:
        """Which points, (n,)."""
        ...

    def regress(
        self, gram: Tensor, some: Tensor | None = None, ridges: tuple[float, ...] = RIDGES
    ) -> Ridge:
        """Return kernel ridge regression of it, or of some of it, with the kernel of these."""
        ...


class Scorer(Protocol):
    """A function of points that a kernel spans."""

    def score(self, places: Places) -> Tensor:
        """Return its values (n, K)."""
        ...


class LabelKernel(Protocol):
    """A kernel between the labeled points, and from them to any points."""

    @property
    def gram(self) -> Tensor:
        """The kernel of the labeled points (n, n), of mean diagonal one."""
        ...

    def span(self, coefficients: Tensor) -> Scorer:
        """Return the function that (n, K) coefficients of the labeled points stand for."""
        ...


def unless_zero(scale: float) -> float:
    """Return what a kernel is divided by: its mean diagonal, or 1 where there is none of it."""
    return scale if scale > SMALLEST_KERNEL else 1.0


@dataclass(frozen=True)
class RidgePart:
    """Kernel ridge regression with a sum of kernels.

    Attributes:
        name: of the part.
        ridge: the solution.
        scorers: what it is made of, with weights.
    """

    name: str
    ridge: Ridge
    scorers: tuple[tuple[float, Scorer], ...]

    @classmethod
    def of(
        cls, name: str, ridge: Ridge, kernels: tuple[tuple[float, LabelKernel], ...]
    ) -> "RidgePart":
        """Make a part of a solution and the kernels, with weights, that it was found with."""
        spanned = ((weight, kernel.span(ridge.coefficients)) for weight, kernel in kernels)
        return cls(name, ridge, tuple(spanned))

    @property
    def held_out(self) -> Tensor:
        """Scores of the labeled points, each learned without it."""
        return self.ridge.held_out

    def score(self, places: Places) -> Tensor:
        """Return the scores (n, K)."""
        weighted = [weight * scorer.score(places) for weight, scorer in self.scorers]
        return torch.stack(weighted).sum(dim=0) + self.ridge.bias
