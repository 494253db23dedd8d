"""What a part is: scores of any points, and of labels that it has not seen."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, Self

import torch
from torch import Tensor

from diffresnet.estimators.points import Places
from diffresnet.learning.ridge import Penalty, Ridge

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

    def take(self, some: Tensor) -> Self:
        """Return some of it."""
        ...

    def first(self, order: Tensor, n_most: int) -> Tensor:
        """Return places of it, (n,), the first in an order that speak for all."""
        ...

    def regress(
        self, gram: Tensor, some: Tensor | None = None, penalty: Penalty | None = None
    ) -> Ridge:
        """Return kernel ridge regression of it, or of some of it, with the kernel of these."""
        ...


class LabelKernel(Protocol):
    """A kernel between the labeled points, and from them to any points."""

    @property
    def gram(self) -> Tensor:
        """The kernel of the labeled points (n, n), of mean diagonal one."""
        ...

    def expand(self, places: Places, coefficients: Tensor) -> Tensor:
        """Return sum_j k(x, x_j) c_j of any points x, (n, K); x_j are the labeled points."""
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
        kernels: of which it is the sum, with weights.
        held_out: (n, K) scores of the labeled points, each learned without it.
    """

    name: str
    ridge: Ridge
    kernels: tuple[tuple[float, LabelKernel], ...]
    held_out: Tensor

    @classmethod
    def of(cls, name: str, ridge: Ridge, *kernels: tuple[float, LabelKernel]) -> "RidgePart":
        """Make a part that has learned from all labels."""
        return cls(name, ridge, kernels, ridge.held_out)

    def score(self, places: Places) -> Tensor:
        """Return the scores (n, K)."""
        (found,) = sum_parts([[(1.0, self)]], places)
        return found


def sum_parts(
    sums: Sequence[Sequence[tuple[float, RidgePart]]], places: Places
) -> tuple[Tensor, ...]:
    """Return weighted sums of the scores of some points, (n, K) each.

    A kernel that several parts have in common is expanded once for all of them.

    Args:
        sums: the parts of each, with weights; K is the same for all.
        places: of the points.
    """
    kernels: dict[int, LabelKernel] = {}
    coefficients: dict[int, dict[int, Tensor]] = {}
    for number, weighted in enumerate(sums):
        for weight, part in weighted:
            for own, kernel in part.kernels:
                kernels[id(kernel)] = kernel
                terms = coefficients.setdefault(id(kernel), {})
                added = weight * own * part.ridge.coefficients
                terms[number] = terms[number] + added if number in terms else added
    biases = [torch.stack([w * part.ridge.bias for w, part in weighted]) for weighted in sums]
    totals = [one.sum(dim=0) for one in biases]
    for key, kernel in kernels.items():
        terms = coefficients[key]
        found = kernel.expand(places, torch.cat(list(terms.values()), dim=1)).chunk(len(terms), 1)
        for number, one in zip(terms, found, strict=True):
            totals[number] = one + totals[number].to(one)
    return tuple(totals)
