"""The Dirichlet energy over the links of a sparse graph, and its gradient."""

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
