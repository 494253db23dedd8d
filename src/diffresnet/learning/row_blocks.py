"""Features some rows at a time: what is computed of them needs no copies of all."""

from collections.abc import Iterable, Iterator
from functools import reduce

from torch import Tensor

BLOCK = 2**19
"""How many numbers are worked on at a time: about a cache."""


def row_blocks(features: Tensor) -> Iterator[Tensor]:
    """Yield some rows of (N, d) features at a time, in order; views of them."""
    yield from features.split(max(1, BLOCK // max(1, features.shape[1])))


def usual_blocks(features: Tensor, is_out: Tensor) -> Iterator[Tensor]:
    """Yield some rows at a time, without those that are out.

    Args:
        features: (N, d).
        is_out: (N,) which rows are.

    Examples:
        >>> import torch
        >>> features, is_out = torch.arange(4.0).unsqueeze(1), torch.arange(4) == 1
        >>> [some.flatten().tolist() for some in usual_blocks(features, is_out)]
        [[0.0, 2.0, 3.0]]
    """
    end = 0
    for some in row_blocks(features):
        out = is_out[end : end + len(some)]
        end += len(some)
        if not bool(out.all()):
            yield some[~out] if bool(out.any()) else some


def sum_blocks(parts: Iterable[Tensor]) -> Tensor:
    """Return the sum of tensors of one shape, added in their order, in the memory of the first."""
    return reduce(Tensor.add_, parts)
