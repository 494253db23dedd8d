"""Diffusion steps as a layer (Section 3.2, Algorithm 1)."""

from typing import Literal, TypeAlias, get_args

import torch
from torch import Tensor, nn

from diffresnet._support.checks import check_choice, check_probability, check_real
from diffresnet._support.types import DiffusionMethod
from diffresnet.diffusion.input import check_steps
from diffresnet.diffusion.operator import DiffusionOperator

DropoutOrder: TypeAlias = Literal["before", "after"]


class Diffusion(nn.Module):
    """Take `n_steps` diffusion steps x <- x - step_size (Lambda - W) x. It has no parameters.

    While training with `dropout`, features are dropped before (or after) every single step.

    Args:
        step_size: gamma, not negative.
        n_steps: r; 0 makes this the identity.
        dropout: probability that a feature is dropped at each step; below 1.
        dropout_order: ``"before"`` each step, as the authors' code does, or ``"after"``, as the
            paper says (Appendix E.2).
        method: how steps without dropout are computed; see `DiffusionOperator.diffuse`.
        tolerance: of ``"chebyshev"``.

    Shape:
        Features (N, ...), points first, or (T, N, ...) with the operator of a batch; the output has
        the shape of the features.

    Raises:
        ValueError: if an argument is out of range.

    Examples:
        >>> operator = DiffusionOperator(torch.tensor([[0.0, 0.5], [0.5, 0.0]]))
        >>> Diffusion(step_size=1.0, n_steps=1)(torch.tensor([[0.0], [1.0]]), operator)
        tensor([[0.5000],
                [0.5000]])
    """

    def __init__(
        self,
        step_size: float,
        n_steps: int,
        dropout: float = 0.0,
        *,
        dropout_order: DropoutOrder = "before",
        method: DiffusionMethod = "auto",
        tolerance: float = 1e-6,
    ) -> None:
        super().__init__()
        self.step_size = check_real("Diffusion", "step_size", step_size, zero=True)
        self.n_steps = check_steps("Diffusion", "n_steps", n_steps)
        self.dropout = nn.Dropout(check_probability("Diffusion", "dropout", dropout))
        check_choice("Diffusion", "dropout_order", dropout_order, get_args(DropoutOrder))
        check_choice("Diffusion", "method", method, get_args(DiffusionMethod))
        self.dropout_order: DropoutOrder = dropout_order
        self.method: DiffusionMethod = method
        self.tolerance = check_real("Diffusion", "tolerance", tolerance)

    def forward(self, x: Tensor, operator: DiffusionOperator) -> Tensor:
        """Return the diffused features; those in half precision are diffused in full."""
        if x.dtype in (torch.float16, torch.bfloat16):
            return self(x.to(operator.weights.dtype), operator).to(x.dtype)
        if not self.training or self.dropout.p == 0:
            return operator.diffuse(
                x, self.step_size, self.n_steps, method=self.method, tolerance=self.tolerance
            )
        for _ in range(self.n_steps):
            x = self.dropout(x) if self.dropout_order == "before" else x
            x = operator.diffuse(x, self.step_size, 1, method="euler")
            x = self.dropout(x) if self.dropout_order == "after" else x
        return x

    def extra_repr(self) -> str:
        """Say what the layer does, for printing a model."""
        return f"step_size={self.step_size:g}, n_steps={self.n_steps}, method={self.method!r}"
