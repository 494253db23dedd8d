"""A linear layer of sparse features."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor, nn

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

    def __init__(self, features: sparse.csr_array, n_out: int) -> None:
        super().__init__()
        plain = nn.Linear(features.shape[1], n_out)
        self.weight = nn.Parameter(plain.weight.detach().mT.contiguous())
        self.bias = nn.Parameter(plain.bias.detach().clone())
        self.register_buffer("_features", _to_csr(features), persistent=False)
        self.register_buffer("_transposed", _to_csr(features.T.tocsr()), persistent=False)

    def forward(self) -> Tensor:
        """Return X W + b, (N, n_out)."""
        return _Product.apply(self.weight, self.bias, self._features, self._transposed)  # pyright: ignore[reportReturnType]

    def in_blocks(self) -> Iterator[tuple[slice, Tensor]]:
        """Yield X W + b some columns at a time, with their places, without gradients."""
        bias = self.bias.detach()
        for columns, block in _blocks(self._features, self.weight.detach()):  # pyright: ignore[reportArgumentType]
            yield columns, block.add_(bias[columns])

    def multiply(self, dense: Tensor) -> Tensor:
        """Return X times another matrix (F, n), without gradients."""
        return product(self._features, dense.detach())  # pyright: ignore[reportArgumentType]


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, weight: Tensor, bias: Tensor, features: Tensor, transposed: Tensor
    ) -> Tensor:
        ctx.transposed = transposed
        return _multiply(features, weight, bias)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor, Tensor, None, None]:
        (gradient,) = grad_outputs
        nothing = gradient.new_zeros(gradient.shape[1])
        return _multiply(ctx.transposed, gradient, nothing), gradient.sum(dim=0), None, None


def _multiply(matrix: Tensor, dense: Tensor, bias: Tensor) -> Tensor:
    """Multiply, and add the bias to each row."""
    found = dense.new_empty(matrix.shape[0], dense.shape[1])
    for columns, block in _blocks(matrix, dense):
        torch.add(block, bias[columns], out=found[:, columns])
    return found


def _blocks(matrix: Tensor, dense: Tensor) -> Iterator[tuple[slice, Tensor]]:
    """Yield the product in blocks of columns, which stay in the cache, and their places."""
    done = 0
    for block in column_blocks(dense):
        columns = slice(done, done + block.shape[1])
        yield columns, product(matrix, block)
        done = columns.stop


def _to_csr(matrix: Any) -> Tensor:
    rows: Any = sparse.csr_array(matrix, dtype=np.float32)
    rows.sort_indices()
    parts = [torch.from_numpy(part) for part in (rows.indptr, rows.indices, rows.data)]
    return mx.csr(*parts, n_columns=rows.shape[1])
