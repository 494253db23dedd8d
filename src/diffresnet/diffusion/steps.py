"""How diffusion steps are computed: three methods for one polynomial, and the choice among them."""

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from diffresnet._support.checks import fail
from diffresnet._support.types import DiffusionMethod
from diffresnet.diffusion.chebyshev import ROUNDING, ChebyshevSeries, diffusion_series
from diffresnet.diffusion.linear import Map, apply_linear, repeat
from diffresnet.graph import matrix as mx

if TYPE_CHECKING:
    from diffresnet.diffusion.operator import DiffusionOperator

CHEBYSHEV_OVERHEAD = 1.5
"""What a Chebyshev term costs beside an Euler step: one product, and two additions of features."""


@dataclass
class Step:
    """The matrix I - step_size (Lambda - W), and its transpose once that is needed."""

    matrix: Tensor

    @cached_property
    def transposed(self) -> Tensor:
        """The transpose, in the same layout."""
        return mx.transpose(self.matrix)


def take_steps(
    operator: "DiffusionOperator",
    x: Tensor,
    step_size: float,
    n_steps: int,
    *,
    method: DiffusionMethod,
    tolerance: float,
) -> Tensor:
    """Return (I - step_size (Lambda - W))^n_steps x for x of shape (N, d) or (T, N, d)."""
    if method == "auto":
        method = cheapest(operator, x.shape[-1], step_size, n_steps, tolerance)
    match method:
        case "chebyshev":
            return by_chebyshev(operator, x, step_size, n_steps, tolerance)
        case "power":
            return by_power(operator, x, step_size, n_steps)
        case _:
            return by_euler(operator, x, step_size, n_steps)


def cheapest(
    operator: "DiffusionOperator", n_columns: int, step_size: float, n_steps: int, tolerance: float
) -> DiffusionMethod:
    """Return the valid method with the fewest operations, counted in products with a column."""
    costs: dict[DiffusionMethod, float] = {"euler": n_steps * n_columns}
    if not mx.is_csr(operator.weights):
        n_products = n_steps.bit_length() + n_steps.bit_count() - 2
        costs["power"] = n_products * operator.weights.shape[-1] + n_columns
    if step_size <= operator.max_convex_step_size:
        degree = _series(operator, step_size, n_steps, tolerance).degree
        cost = degree * n_columns * CHEBYSHEV_OVERHEAD
        if cost < min(costs.values()) and operator.is_symmetric:
            costs["chebyshev"] = cost
    return min(costs, key=lambda method: costs[method])


def by_euler(operator: "DiffusionOperator", x: Tensor, step_size: float, n_steps: int) -> Tensor:
    """Take the steps one by one."""
    step = operator.step(step_size)
    return _apply(
        operator,
        x,
        lambda y: repeat(step.matrix, y, n_steps),
        lambda y: repeat(step.transposed, y, n_steps),
    )


def by_chebyshev(
    operator: "DiffusionOperator", x: Tensor, step_size: float, n_steps: int, tolerance: float
) -> Tensor:
    """Take them by a short series, for symmetric weights."""
    require_symmetric("diffuse", operator)
    if step_size > operator.max_stable_step_size * ROUNDING:
        must = f"at most `max_stable_step_size` ({operator.max_stable_step_size:g}) for 'chebyshev'"
        fail("diffuse", "step_size", must, f"{step_size:g}", "Lower it, or use 'euler'.")
    series = partial(_series(operator, step_size, n_steps, tolerance).apply, operator.laplacian)
    return _apply(operator, x, series, series)


def by_power(operator: "DiffusionOperator", x: Tensor, step_size: float, n_steps: int) -> Tensor:
    """Take them by repeated squaring of a dense step."""
    if mx.is_csr(operator.weights):
        remedy = "Use 'euler' or 'chebyshev', or dense weights."
        fail("diffuse", "method", "'euler' or 'chebyshev' for CSR weights", "'power'", remedy)
    return torch.linalg.matrix_power(operator.step(step_size).matrix, n_steps) @ x


def require_symmetric(function: str, operator: "DiffusionOperator") -> None:
    """Refuse weights that are not symmetric."""
    if not operator.is_symmetric:
        remedy = "Build them with normalization 'symmetric' or 'sinkhorn'."
        fail(function, "weights", "symmetric", "weights that are not", remedy)


def _series(
    operator: "DiffusionOperator", step_size: float, n_steps: int, tolerance: float
) -> ChebyshevSeries:
    # Gershgorin's discs give a bound on the eigenvalues for nothing; a longer step needs the exact
    # one, which the check of its stability has computed.
    convex = step_size <= operator.max_convex_step_size
    bound = operator.max_convex_step_size if convex else operator.max_stable_step_size
    upper = 2 / bound if bound < float("inf") else 1 / step_size
    return diffusion_series(step_size, n_steps, upper, tolerance)


def _apply(operator: "DiffusionOperator", x: Tensor, forward: Map, transposed: Map) -> Tensor:
    """Apply a linear map to x; through autograd itself where the weights need gradients."""
    if operator.weights.requires_grad:
        return forward(x)
    return apply_linear(x, forward, transposed)
