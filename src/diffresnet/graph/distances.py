"""Distances from inner products, and by subtraction where the product cancels."""

import torch
from torch import Tensor

CANCELLATION = {torch.float32: 1e-2, torch.float64: 1e-6}
"""Squared distances below this part of the squared norms are computed again by subtraction.

The product |x|^2 + |y|^2 - 2 x.y errs in float64 by some 1e-15 of the squared norms, so the others
are right to some 1e-9.
"""

BLOCK_SIZE = 2**23
"""How many numbers are in memory at a time (64 MB in float64)."""


def distances_from_gram(gram: Tensor, points: Tensor) -> Tensor:
    """Return the plain distances (T, N, N) within sets of points (T, N, d).

    Args:
        gram: (T, N, N) the inner products of the points, which the caller has use for as well.
        points: (T, N, d), of which only pairs that almost coincide are looked at again.
    """
    norms = gram.diagonal(dim1=-2, dim2=-1)
    sums = norms.unsqueeze(-1) + norms.unsqueeze(-2)
    squared = torch.add(sums, gram, alpha=-2)
    squared.diagonal(dim1=-2, dim2=-1).fill_(torch.inf)
    every = torch.arange(gram.shape[-1], device=gram.device)
    close = squared < CANCELLATION[gram.dtype] * sums
    subtract_again(squared, close, points, every, every.expand_as(squared))
    squared.diagonal(dim1=-2, dim2=-1).fill_(0)
    return squared.sqrt_()


def subtract_again(
    squared: Tensor, close: Tensor, points: Tensor, rows: Tensor, columns: Tensor
) -> None:
    """Compute the `close` ones of squared distances by subtraction, in place, in bounded memory.

    Those (T, R, C) are from the points `rows` (R,) to the points `columns` (T, R, C).
    """
    for some in close.nonzero().split(max(1, BLOCK_SIZE // points.shape[-1])):
        which, row, column = some.unbind(dim=1)
        others = points[which, columns[which, row, column]]
        squared[which, row, column] = (points[which, rows[row]] - others).square().sum(dim=-1)
