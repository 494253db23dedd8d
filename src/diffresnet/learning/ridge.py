"""Kernel ridge regression of classes: in closed form, and so are the scores of held-out labels."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import one_hot

BIAS = 0.1
"""What is added to a kernel of mean diagonal one: the variance of a constant for each class."""

FEWEST_FOR_BIAS = 5
"""Labels per class from which on there is a constant. Leaving one of few labels out would move it
away from that label's class."""

RIDGES = tuple(10.0 ** (step / 2) for step in range(-8, 7))


@dataclass(frozen=True)
class Ridge:
    """A solution.

    Attributes:
        coefficients: (n, K) of the labeled points.
        held_out: (n, K) scores of each labeled point, learned from the others.
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

    With H = K + ridge I and a = H^-1 Y, the label i is missed by a_i / (H^-1)_ii when it is left
    out (Allen's PRESS): one eigendecomposition serves every ridge and every label.

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
    constant = BIAS if len(classes) >= FEWEST_FOR_BIAS * n_classes else 0.0
    values, vectors = torch.linalg.eigh((gram + gram.mT) / 2 + constant)
    values, rotated = values.clamp(min=0), vectors.mT @ targets
    best: Ridge | None = None
    for ridge in ridges:
        inverse = 1 / (values + ridge)
        coefficients = vectors @ (inverse.unsqueeze(1) * rotated)
        missed = coefficients / (vectors.square() @ inverse).unsqueeze(1)
        error = float(missed.square().sum(dim=1).mean())
        if best is None or error < best.error:
            bias = constant * coefficients.sum(dim=0)
            best = Ridge(coefficients, targets - missed, error, ridge, bias)
    if best is None:
        raise ValueError("solve_ridge: `ridges` must hold a number, got none.")
    return best
