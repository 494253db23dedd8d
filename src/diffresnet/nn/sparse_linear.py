"""A linear layer of sparse features."""

from collections.abc import Iterator

import numpy as np
import torch
from scipy import sparse
from torch import Tensor, nn

from diffresnet.diffusion.linear import apply_linear
from diffresnet.graph import matrix as mx
from diffresnet.graph.product import column_blocks, product


class SparseLinear(nn.Module):
    """X W + b for one sparse matrix X of features, known from the start.

    The product costs as many operations as X has entries, times the width. Initialized as
    `torch.nn.Linear` is, from the same random numbers.

    Args:
        features: (N, F) sparse.
        n_out: width of the result.

    Attributes:
        weight: (F, n_out), the transpose of that of `torch.nn.Linear`.
        bias: (n_out,).
    """

    _features: Tensor
    _transposed: Tensor

    def __init__(self, features: sparse.csr_array, n_out: int) -> None:
        super().__init__()
        plain = nn.Linear(features.shape[1], n_out)
        self.weight = nn.Parameter(plain.weight.detach().mT.contiguous())
        self.bias = nn.Parameter(plain.bias.detach().clone())
        for name, matrix in (("_features", features), ("_transposed", features.T)):
            rows = mx.from_scipy("SparseLinear", "features", matrix.astype(np.float32))
            self.register_buffer(name, rows, persistent=False)

    def forward(self) -> Tensor:
        """Return X W + b, (N, n_out)."""
        multiplied = apply_linear(
            self.weight,
            lambda weight: _multiply(self._features, weight),
            lambda gradient: _multiply(self._transposed, gradient),
        )
        return multiplied + self.bias

    def in_blocks(self) -> Iterator[tuple[slice, Tensor]]:
        """Yield X W + b some columns at a time, with their places, without gradients."""
        done = 0
        for part in column_blocks(self.weight.detach()):
            columns = slice(done, done + part.shape[1])
            yield columns, product(self._features, part).add_(self.bias.detach()[columns])
            done = columns.stop

    def multiply(self, dense: Tensor) -> Tensor:
        """Return X times another matrix (F, n), without gradients."""
        return product(self._features, dense.detach())


def _multiply(matrix: Tensor, dense: Tensor) -> Tensor:
    """Multiply in blocks of columns, which stay in the cache."""
    return torch.cat([product(matrix, block) for block in column_blocks(dense)], dim=1)
