"""What an operator is given, checked; and what it warns of."""

import warnings
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from diffresnet._support.checks import as_tensor, check_count, fail
from diffresnet._support.types import Array
from diffresnet.diffusion.chebyshev import ROUNDING

if TYPE_CHECKING:
    from diffresnet.diffusion.operator import DiffusionOperator

MOST_STEPS = 10**9
"""Of diffusion: the terms of a series grow with the root of their number."""


class StabilityWarning(UserWarning):
    """The step size is above the bound up to which diffusion is known to be stable."""


def warn_if_unstable(operator: "DiffusionOperator", step_size: float) -> None:
    """Warn if `step_size` is not known to be stable."""
    if step_size <= operator.max_convex_step_size * ROUNDING:  # implies the other bound
        return
    name = "max_stable_step_size" if operator.is_symmetric else "max_convex_step_size"
    bound: float = getattr(operator, name)
    if step_size <= bound * ROUNDING:
        return
    message = (
        f"diffuse: `step_size` {step_size:g} is above `{name}` = {bound:g}, up to which "
        "diffusion is known to be stable; features may grow from step to step. "
        "Lower `step_size` and raise `n_steps`."
    )
    warnings.warn(message, StabilityWarning, stacklevel=3)


def check_steps(function: str, argument: str, value: object) -> int:
    """Return a number of diffusion steps as an int of at least 0, and at most `MOST_STEPS`."""
    number = check_count(function, argument, value, low=0)
    if number > MOST_STEPS:
        fail(function, argument, f"at most {MOST_STEPS:,}", number, f"Lower `{argument}`.")
    return number


def flatten_features(function: str, x: Array, weights: Tensor) -> Tensor:
    """Return `x` as (N, d) or (T, N, d) in the dtype of the weights, after checking it."""
    dtype, axes = weights.dtype, tuple(weights.shape[:-1])
    tensor = as_tensor(function, "x", x, integers=dtype)
    if tensor.layout != torch.strided:
        fail(function, "x", "dense", f"a {tensor.layout} tensor", "Call `.to_dense()` on it.")
    if tuple(tensor.shape[: len(axes)]) != axes:
        must = f"of shape ({', '.join(map(str, axes))}, ...), the operator's points first"
        remedy = "Check the order of the axes and which operator belongs to these points."
        fail(function, "x", must, f"shape {tuple(tensor.shape)}", remedy)
    if tensor.dtype != dtype:
        remedy = f"Convert `x`, or use `operator.to({tensor.dtype})`."
        fail(function, "x", f"{dtype} like the weights", tensor.dtype, remedy)
    return tensor.reshape(*axes, -1)
