"""The Dirichlet energy over the links of a sparse graph, its gradient, and how alike links are."""

from typing import Any, cast

import torch
from torch import Tensor

from diffresnet.diffusion.linear import apply_linear
from diffresnet.graph import matrix as mx

BLOCK_SIZE = 2**22
"""How many differences of features are in memory at a time."""


class _EdgeEnergy(torch.autograd.Function):
    @staticmethod
    def forward(x: Tensor, weights: Tensor) -> Tensor:
        rows, columns, values = mx.rows_of(weights), weights.col_indices().long(), weights.values()
        energy = x.new_zeros(())
        n_links = max(1, BLOCK_SIZE // max(1, x.shape[-1]))
        parts = (part.split(n_links) for part in (rows, columns, values))
        for row, column, value in zip(*parts, strict=True):
            energy += value @ (x[row] - x[column]).square().sum(dim=-1) / 2
        return energy

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:  # noqa: ARG004
        x, ctx.weights = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        (x,) = ctx.saved_tensors
        both = mx.symmetrize(ctx.weights)
        laplacian = mx.affine(both, -1, mx.row_sums(both))
        return gradients[0] * 2 * apply_linear(x, laplacian.matmul, laplacian.matmul), None


def edge_energy(x: Tensor, weights: Tensor) -> Tensor:
    """Return 1/2 sum_ij w_ij |x_i - x_j|^2 for CSR weights, by subtraction, in bounded memory."""
    return cast("Tensor", _EdgeEnergy.apply(x, weights))


def autocorrelation(x: Tensor, weights: Tensor) -> float:
    """Return sum_ij w_ij x_i.x_j / sum_i d_i |x_i|^2 of centered points (Moran's I).

    It is 1 where linked points are equal, about 0 where links say nothing of them, and negative
    where they are unlike; 0 if there is no link, or all points are 0. Links of points to themselves
    do not count.

    Args:
        x: (N, m) points.
        weights: (N, N) CSR, symmetric.

    Examples:
        >>> pairs = torch.tensor([[0.0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
        >>> autocorrelation(torch.tensor([[1.0], [1.0], [-1.0], [-1.0]]), pairs.to_sparse_csr())
        1.0
    """
    degrees = mx.row_sums(weights) - mx.diagonal(weights)
    whole = float(degrees.to(x) @ x.square().sum(dim=1))
    return 1 - float(edge_energy(x, weights)) / whole if whole > 0 else 0.0
