"""Linear maps whose transpose is known, for autograd.

Diffusion is linear in the features, so its gradient is the transposed diffusion: nothing of the
forward pass has to be stored, however many steps it takes.
"""

from collections.abc import Callable
from typing import Any, TypeAlias, cast

import torch
from torch import Tensor

from diffresnet.graph import matrix as mx

Map: TypeAlias = Callable[[Tensor], Tensor]


class _LinearMap(torch.autograd.Function):
    @staticmethod
    def forward(x: Tensor, forward: Map, transposed: Map) -> Tensor:  # noqa: ARG004  (for backward)
        return forward(x)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Map, Map], output: Tensor) -> None:  # noqa: ARG004
        _, ctx.forward_map, ctx.transposed_map = inputs

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        return apply_linear(gradients[0], ctx.transposed_map, ctx.forward_map), None, None

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Tensor:
        return ctx.forward_map(tangents[0])


def apply_linear(x: Tensor, forward: Map, transposed: Map) -> Tensor:
    """Return forward(x), with transposed(gradient) as its gradient, of any order."""
    return cast("Tensor", _LinearMap.apply(x, forward, transposed))


def repeat(matrix: Tensor, x: Tensor, n_times: int) -> Tensor:
    """Apply `matrix` to x again and again."""
    if matrix.ndim == 2 and not mx.is_csr(matrix):
        # As rows: a dense product with few columns is several times slower than one with few rows.
        now = x.mT.contiguous()
        for _ in range(n_times):
            now = now @ matrix.mT
        return now.mT.contiguous()
    # To and fro between two pieces of memory: asking for new ones costs as much as the product.
    now = x.contiguous()
    free = [torch.zeros_like(now), torch.zeros_like(now)]
    for time in range(n_times):
        now = mx.add_product(free[time % 2], matrix, now, beta=0)
    return now
