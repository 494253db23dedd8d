"""Kernel ridge regression: in closed form, and so is what it says of held-out labels and values."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import one_hot

RIDGES = tuple(10.0 ** (step / 2) for step in range(-8, 7))

CONSTANTS = (0.1, 1.0, math.inf)
"""Of classes: the variance of the constant beside a kernel of mean diagonal one.

Kernels are centered over all points, so that a small constant keeps the mean score of every class
near that of the others, as if classes were equally common; a free one leaves it to the labels."""


class Penalty(NamedTuple):
    """What keeps a solution simple.

    Attributes:
        ridge: of the kernel.
        constant: the variance of the constant beside it; 0 for none, infinity for a free one.
    """

    ridge: float
    constant: float


CLASS_PENALTIES = tuple(Penalty(ridge, one) for one in CONSTANTS for ridge in RIDGES)
VALUE_PENALTIES = tuple(Penalty(ridge, math.inf) for ridge in RIDGES)

LARGEST_CHOICE = 24
"""Of more columns, this number of random sums choose the penalty."""

N_CHOOSING = 1000
"""Of more rows, this number of random ones choose the penalty."""

SMALLEST = 1e-300
"""A single row beside a free constant is not missed at all: 0 / 0 is 0."""


@dataclass(frozen=True)
class Ridge:
    """A solution.

    Attributes:
        coefficients: (n, K) of the labeled points.
        held_out: (n, K) what the others say of each labeled point.
        error: their mean squared error.
        penalty: that has the least of it.
        bias: (K,) the scores of a point that is like no other.
    """

    coefficients: Tensor
    held_out: Tensor
    error: float
    penalty: Penalty
    bias: Tensor


def solve_classes(
    gram: Tensor,
    classes: Tensor,
    n_classes: int,
    penalties: tuple[Penalty, ...] = CLASS_PENALTIES,
) -> Ridge:
    """Fit one-hot classes, with the penalty that held-out labels like best.

    Args:
        gram: (n, n) kernel of the labeled points, of mean diagonal one.
        classes: (n,) their classes.
        n_classes: K.
        penalties: to choose from.

    Examples:
        >>> gram = torch.tensor([[1, 0.9, 0, 0], [0.9, 1, 0, 0], [0, 0, 1, 0.9], [0, 0, 0.9, 1]])
        >>> solve_classes(gram.double(), torch.tensor([0, 0, 1, 1]), 2).held_out.argmax(dim=1)
        tensor([0, 0, 1, 1])
    """
    targets = one_hot(classes, n_classes).to(gram) - 1 / n_classes
    return solve_targets(gram, targets, penalties)


def solve_targets(
    gram: Tensor, targets: Tensor, penalties: tuple[Penalty, ...] = VALUE_PENALTIES
) -> Ridge:
    """Fit columns of numbers, with the penalty that those of held-out rows like best.

    With the variance c of a constant b beside the kernel, and H = K + ridge I,

        b = 1' H^-1 Y / (1 / c + 1' H^-1 1),    a = H^-1 (Y - b),

    and the row i is missed by a_i / C_ii when it is left out (Allen's PRESS), where
    C = H^-1 - H^-1 1 1' H^-1 / (1 / c + 1' H^-1 1): one eigendecomposition serves every penalty and
    every row. Where rows are many, some of them choose, and one factorization serves all.

    Args:
        gram: (n, n) kernel, of mean diagonal one.
        targets: (n, K) what is fitted.
        penalties: to choose from; of equal errors the first.

    Examples:
        A free constant alone is the mean, of the other rows where one is left out.

        >>> targets = torch.tensor([[1.0], [2.0], [6.0]]).double()
        >>> found = solve_targets(torch.zeros(3, 3).double(), targets)
        >>> found.bias, found.held_out[:, 0]
        (tensor([3.], dtype=torch.float64), tensor([4.0000, 3.5000, 1.5000], dtype=torch.float64))
    """
    if not penalties:
        raise ValueError("solve_targets: `penalties` must hold one, got none.")
    gram, chosen = (gram + gram.mT) / 2, penalties[0]
    if len(penalties) > 1 and len(gram) > N_CHOOSING:
        generator = torch.Generator().manual_seed(0)
        some = torch.randperm(len(gram), generator=generator)[:N_CHOOSING]
        chosen = solve_targets(gram[some][:, some], targets[some], penalties).penalty
        penalties = (chosen,)
    if len(penalties) == 1:
        identity = torch.eye(len(gram)).to(gram)
        factor, is_singular = torch.linalg.cholesky_ex(gram + chosen.ridge * identity)
        if not bool(is_singular):
            return _solve(torch.cholesky_inverse(factor), targets, chosen)
    values, vectors = torch.linalg.eigh(gram)
    values = values.clamp(min=0)
    if len(penalties) > 1:
        chosen = _choose(values, vectors, _sketch(targets), penalties)
    return _solve((vectors / (values + chosen.ridge)) @ vectors.mT, targets, chosen)


def _choose(
    values: Tensor, vectors: Tensor, targets: Tensor, penalties: tuple[Penalty, ...]
) -> Penalty:
    """Return the penalty that misses held-out rows least, by the eigenvectors of the kernel."""
    ridges = list(dict.fromkeys(one.ridge for one in penalties))
    inverses = 1 / (values + values.new_tensor(ridges).unsqueeze(1))
    sums, rotated = vectors.sum(dim=0), vectors.mT @ targets
    ones = (inverses * sums) @ vectors.mT  # H^-1 1 for each ridge
    plain = vectors @ (inverses.unsqueeze(2) * rotated)
    diagonals = inverses @ vectors.square().mT
    totals = (inverses * sums) @ rotated
    errors: dict[Penalty, float] = {}
    for constant in dict.fromkeys(one.constant for one in penalties):
        held = (_stiffness(constant) + ones.sum(dim=1)).unsqueeze(1)
        left = (diagonals - ones.square() / held).clamp(min=SMALLEST)
        missed = (plain - ones.unsqueeze(2) * (totals / held).unsqueeze(1)) / left.unsqueeze(2)
        found = missed.square().sum(dim=(1, 2)).tolist()
        errors |= {Penalty(one, constant): e for one, e in zip(ridges, found, strict=True)}
    return min(penalties, key=errors.__getitem__)


def _stiffness(constant: float) -> float:
    return 1 / constant if constant > 0 else math.inf


def _solve(inverse: Tensor, targets: Tensor, penalty: Penalty) -> Ridge:
    """Return the solution; see `solve_targets`.

    Args:
        inverse: (n, n) H^-1.
        targets: (n, K) Y.
        penalty: of it.
    """
    ones = inverse.sum(dim=1)
    held = _stiffness(penalty.constant) + ones.sum()
    bias = ones @ targets / held
    coefficients = inverse @ targets - ones.unsqueeze(1) * bias
    diagonal = inverse.diagonal() - ones.square() / held
    missed = coefficients / diagonal.clamp(min=SMALLEST).unsqueeze(1)
    error = float(missed.square().sum(dim=1).mean())
    return Ridge(coefficients, targets - missed, error, penalty, bias)


def _sketch(targets: Tensor) -> Tensor:
    """Return fewer columns, of which sums of squares are nearly in proportion: enough to choose."""
    n_columns = targets.shape[1]
    if n_columns <= LARGEST_CHOICE:
        return targets
    generator = torch.Generator().manual_seed(0)
    signs = torch.randint(0, 2, (n_columns, LARGEST_CHOICE), generator=generator) * 2 - 1
    return targets @ signs.to(targets)
