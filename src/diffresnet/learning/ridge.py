"""Kernel ridge regression: in closed form, and so is what it says of held-out labels and values."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import one_hot

BIAS = 0.1
"""What is added to a kernel of mean diagonal one: the variance of a constant for each class."""

RIDGES = tuple(10.0 ** (step / 2) for step in range(-8, 7))

LARGEST_CHOICE = 24
"""Of more columns, this number of random sums choose the ridge."""

SMALLEST = 1e-300
"""A single row beside a free constant is not missed at all: 0 / 0 is 0."""


@dataclass(frozen=True)
class Ridge:
    """A solution.

    Attributes:
        coefficients: (n, K) of the labeled points.
        held_out: (n, K) what the others say of each labeled point.
        error: their mean squared error.
        ridge: that has the least of it.
        bias: (K,) the scores of a point that is like no other.
    """

    coefficients: Tensor
    held_out: Tensor
    error: float
    ridge: float
    bias: Tensor


def solve_ridge(
    gram: Tensor, classes: Tensor, n_classes: int, ridges: tuple[float, ...] = RIDGES
) -> Ridge:
    """Fit one-hot classes, with the ridge that held-out labels like best.

    Args:
        gram: (n, n) kernel of the labeled points, of mean diagonal one.
        classes: (n,) their classes.
        n_classes: K.
        ridges: to choose from.

    Examples:
        >>> gram = torch.tensor([[1, 0.9, 0, 0], [0.9, 1, 0, 0], [0, 0, 1, 0.9], [0, 0, 0.9, 1]])
        >>> solve_ridge(gram.double(), torch.tensor([0, 0, 1, 1]), 2).held_out.argmax(dim=1)
        tensor([0, 0, 1, 1])
    """
    targets = one_hot(classes, n_classes).to(gram) - 1 / n_classes
    return solve_targets(gram, targets, constant=BIAS, ridges=ridges)


def solve_targets(
    gram: Tensor, targets: Tensor, *, constant: float, ridges: tuple[float, ...] = RIDGES
) -> Ridge:
    """Fit columns of numbers, with the ridge that those of held-out rows like best.

    With the variance c of a constant b beside the kernel, and H = K + ridge I,

        b = 1' H^-1 Y / (1 / c + 1' H^-1 1),    a = H^-1 (Y - b),

    and the row i is missed by a_i / C_ii when it is left out (Allen's PRESS), where
    C = H^-1 - H^-1 1 1' H^-1 / (1 / c + 1' H^-1 1): one eigendecomposition serves every ridge and
    every row.

    Args:
        gram: (n, n) kernel, of mean diagonal one.
        targets: (n, K) what is fitted.
        constant: c; 0 for none, infinity for one that is free.
        ridges: to choose from.

    Examples:
        A free constant alone is the mean, of the other rows where one is left out.

        >>> targets = torch.tensor([[1.0], [2.0], [6.0]]).double()
        >>> found = solve_targets(torch.zeros(3, 3).double(), targets, constant=math.inf)
        >>> found.bias, found.held_out[:, 0]
        (tensor([3.], dtype=torch.float64), tensor([4.0000, 3.5000, 1.5000], dtype=torch.float64))
    """
    if not ridges:
        raise ValueError("solve_targets: `ridges` must hold a number, got none.")
    gram, stiffness = (gram + gram.mT) / 2, 1 / constant if constant > 0 else math.inf
    if len(ridges) == 1:
        identity = torch.eye(len(gram)).to(gram)
        factor, is_singular = torch.linalg.cholesky_ex(gram + ridges[0] * identity)
        if not bool(is_singular):
            return _solve(torch.cholesky_inverse(factor), targets, ridges[0], stiffness)
    values, vectors = torch.linalg.eigh(gram)
    inverses = 1 / (values.clamp(min=0) + values.new_tensor(ridges).unsqueeze(1))
    ridge = 0
    if len(ridges) > 1:
        sums, rotated = vectors.sum(dim=0), vectors.mT @ _sketch(targets)
        ones = (inverses * sums) @ vectors.mT  # H^-1 1 for each ridge
        held = (stiffness + ones.sum(dim=1)).unsqueeze(1)
        biases = (inverses * sums) @ rotated / held
        coefficients = vectors @ (inverses.unsqueeze(2) * rotated)
        coefficients -= ones.unsqueeze(2) * biases.unsqueeze(1)
        diagonals = inverses @ vectors.square().mT - ones.square() / held
        missed = coefficients / diagonals.clamp(min=SMALLEST).unsqueeze(2)
        ridge = int(missed.square().sum(dim=(1, 2)).argmin())
    inverse = (vectors * inverses[ridge]) @ vectors.mT
    return _solve(inverse, targets, ridges[ridge], stiffness)


def _solve(inverse: Tensor, targets: Tensor, ridge: float, stiffness: float) -> Ridge:
    """Return the solution; see `solve_targets`.

    Args:
        inverse: (n, n) H^-1.
        targets: (n, K) Y.
        ridge: of H.
        stiffness: 1 / c.
    """
    ones = inverse.sum(dim=1)
    held = stiffness + ones.sum()
    bias = ones @ targets / held
    coefficients = inverse @ targets - ones.unsqueeze(1) * bias
    diagonal = inverse.diagonal() - ones.square() / held
    missed = coefficients / diagonal.clamp(min=SMALLEST).unsqueeze(1)
    error = float(missed.square().sum(dim=1).mean())
    return Ridge(coefficients, targets - missed, error, ridge, bias)


def _sketch(targets: Tensor) -> Tensor:
    """Return fewer columns, of which sums of squares are nearly in proportion: enough to choose."""
    n_columns = targets.shape[1]
    if n_columns <= LARGEST_CHOICE:
        return targets
    generator = torch.Generator().manual_seed(0)
    signs = torch.randint(0, 2, (n_columns, LARGEST_CHOICE), generator=generator) * 2 - 1
    return targets @ signs.to(targets)
