"""Linear maps whose transpose is known, for autograd.

Diffusion is linear in the features, so its gradient is the transposed diffusion: nothing of the
forward pass has to be stored, however many steps it takes.
"""

from collections.abc import Callable
from typing import Any, cast

import torch
from torch import Tensor


class _LinearMap(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        forward: Callable[[Tensor], Tensor],
        transposed: Callable[[Tensor], Tensor],
    ) -> Tensor:
        ctx.maps = transposed, forward
        return forward(x)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        return apply_linear(gradients[0], *ctx.maps), None, None


def apply_linear(
    x: Tensor, forward: Callable[[Tensor], Tensor], transposed: Callable[[Tensor], Tensor]
) -> Tensor:
    """Return forward(x), with transposed(gradient) as its gradient, of any order."""
    return cast("Tensor", _LinearMap.apply(x, forward, transposed))
