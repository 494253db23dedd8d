"""Distances of small sets of points from their inner products."""

import torch
from torch import Tensor

CANCELLATION = {torch.float32: 1e-2, torch.float64: 1e-6}
"""Squared distances below this part of the squared norms are computed again by subtraction."""

BLOCK_SIZE = 2**23
"""How many numbers are subtracted at a time."""


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
    close = squared < CANCELLATION[gram.dtype] * sums
    if close.any():
        for some in close.nonzero().split(max(1, BLOCK_SIZE // points.shape[-1])):
            which, row, column = some.unbind(dim=1)
            difference = points[which, row] - points[which, column]
            squared[which, row, column] = difference.square().sum(dim=-1)
    squared.diagonal(dim1=-2, dim2=-1).fill_(0)
    return squared.sqrt_()
