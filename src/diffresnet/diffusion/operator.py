"""The diffusion step x <- x - gamma (Lambda - W) x, many times, fast (Section 3.2, Appendix A)."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, get_args

import numpy as np
import torch
from torch import Tensor

from diffresnet._support.checks import FLOAT_DTYPES, check_choice, check_real, fail
from diffresnet._support.types import Array, DiffusionMethod, Matrix
from diffresnet.diffusion.energy import edge_energy
from diffresnet.diffusion.input import check_steps, flatten_features, warn_if_unstable
from diffresnet.diffusion.kept import kept_if_constant
from diffresnet.diffusion.spectrum import largest_eigenvalue
from diffresnet.diffusion.steps import ROUNDING, Step, require_symmetric, take_steps
from diffresnet.graph import matrix as mx

FADED = 1e-30
"""Weights of a collapsed operator below this are 0."""


class DiffusionOperator:
    """Diffusion over a weighted graph: its Laplacian, its steps, and the bounds on them.

    The Laplacian is Lambda - W, with Lambda = diag(d) and the degrees d = W 1 (Appendix A). The
    weights of a point to itself cancel in it. Nothing here has parameters, and gradients flow to
    the features; they flow to the weights too when these are dense and require them (those of a
    sparse tensor are constant).

    Args:
        weights: (N, N), dense or sparse, or a dense batch (T, N, N); finite and non-negative; of
            torch, numpy or SciPy. `build_weights` and `graph_weights` make them.

    Attributes:
        weights: the weights as a tensor, dense or CSR; a copy unless they require gradients.

    Raises:
        ValueError: if `weights` is not square, finite and non-negative.

    Examples:
        >>> operator = DiffusionOperator(torch.tensor([[0.0, 0.5], [0.5, 0.0]]))
        >>> operator.diffuse(torch.tensor([[0.0], [1.0]]), step_size=1.0, n_steps=1)
        tensor([[0.5000],
                [0.5000]])
        >>> operator.max_convex_step_size, operator.max_stable_step_size
        (2.0, 2.0)
    """

    def __init__(self, weights: Matrix) -> None:
        matrix = mx.as_square("DiffusionOperator", "weights", weights)
        # Constant weights are ours, so that what is computed from them stays true.
        self.weights = matrix if matrix.requires_grad else matrix.detach().clone()
        self._last_step: tuple[float, Step] | None = None

    def __repr__(self) -> str:
        shape, layout = tuple(self.weights.shape), "csr" if mx.is_csr(self.weights) else "dense"
        return f"DiffusionOperator(shape={shape}, {layout}, {self.weights.dtype})"

    @property
    def n_points(self) -> int:
        """The number N of points."""
        return self.weights.shape[-1]

    @property
    def is_batched(self) -> bool:
        """Whether this is a batch of T separate problems."""
        return self.weights.ndim == 3

    @kept_if_constant
    def degrees(self) -> Tensor:
        """The row sums d = W 1, of shape (N,) or (T, N)."""
        return mx.row_sums(self.weights)

    @kept_if_constant
    def is_symmetric(self) -> bool:
        """Whether the weights equal their transpose, up to rounding."""
        return mx.is_symmetric(self.weights)

    @kept_if_constant
    def laplacian(self) -> Tensor:
        """The matrix Lambda - W, in the layout of the weights."""
        # Without the weights of points to themselves, which cancel, but not in floating point.
        links = mx.set_diagonal(self.weights, 0)
        return mx.affine(links, -1, mx.row_sums(links))

    @kept_if_constant
    def max_convex_step_size(self) -> float:
        """The largest step size at which every new point is a convex combination of old ones.

        It is 1 / max_i (d_i - w_ii), the smallest over a batch, infinite where no two points are
        linked. Up to it hulls shrink and no feature leaves its range (maximum principle).
        """
        largest = float(mx.diagonal(self.laplacian).detach().max())
        return 1 / largest if largest > 0 else float("inf")

    @kept_if_constant
    def max_stable_step_size(self) -> float:
        """The largest step size that never increases the 2-norm, for symmetric weights.

        It is 2 / lambda_max, with the largest eigenvalue of the Laplacian (by Lanczos iteration;
        where that does not settle, by its upper bound, which gives `max_convex_step_size`), the
        smallest over a batch, infinite where no two points are linked.

        Raises:
            ValueError: if the weights are not symmetric.
        """
        require_symmetric("max_stable_step_size", self)
        if self.max_convex_step_size == float("inf"):
            return float("inf")
        return 2 / largest_eigenvalue(self.laplacian.detach())

    def energy(self, x: Array) -> Tensor:
        """Return the Dirichlet energy `1/2 sum_ij w_ij |x_i - x_j|^2`, which diffusion lowers.

        Args:
            x: features, (N, ...) or, for a batch, (T, N, ...).

        Returns:
            A scalar tensor or, for a batch, one number a problem.

        Raises:
            ValueError: if the points of `x` are not those of the operator, or too large.
        """
        features = flatten_features("energy", x, self.weights)
        if mx.is_csr(self.weights):
            found = edge_energy(features, self.weights)
        else:
            # By subtraction: differences of features that are almost equal must not cancel.
            distances = torch.cdist(features, features, compute_mode="donot_use_mm_for_euclid_dist")
            found = (self.weights * distances.square()).sum(dim=(-2, -1)) / 2
        if not torch.isfinite(found.detach()).all() and torch.isfinite(features.detach()).all():
            got = "numbers whose squares, weighted, are infinite"
            fail("energy", "x", "of moderate size", got, "Scale it down.")
        return found

    def diffuse(
        self,
        x: Array,
        step_size: float,
        n_steps: int,
        *,
        method: DiffusionMethod = "auto",
        tolerance: float = 1e-6,
    ) -> Tensor:
        """Take `n_steps` diffusion steps x <- x - step_size (Lambda - W) x (Algorithm 1).

        The methods compute the same polynomial (I - gamma (Lambda - W))^r x:

        - ``"euler"``: r products, the paper's loop; for every kind of weights.
        - ``"chebyshev"``: some sqrt(r log(1/tolerance)) products; for symmetric weights.
        - ``"power"``: the r-th power of the step matrix by repeated squaring, then one product; for
          dense weights, best for many small problems.
        - ``"auto"``: the one of these that is valid and needs the fewest operations.

        Args:
            x: features of any shape whose first axis is the points, (N, ...), or (T, N, ...) for a
                batch; of the dtype of the weights. Integers are converted. NaN is passed on, as
                every layer does, to the points that it touches.
            step_size: gamma, not negative; 0 changes nothing. Above the stability bound it warns.
            n_steps: r, not negative; 0 changes nothing.
            method: one of the four.
            tolerance: of ``"chebyshev"``: the 2-norm of the error of a column of features is at
                most this part of the 2-norm of the column.

        Returns:
            A new tensor of the shape of `x`.

        Raises:
            ValueError: if `x` has another number of points or another dtype than the operator, if
                an argument is out of range, if `method` does not fit the weights, or if a step
                above the stability bound has made the features overflow.

        Warns:
            StabilityWarning: if `step_size` is above `max_stable_step_size` (for weights that are
                not symmetric, above `max_convex_step_size`).

        Examples:
            >>> operator = DiffusionOperator(torch.tensor([[0.0, 0.5], [0.5, 0.0]]))
            >>> operator.diffuse(torch.tensor([0.0, 1.0]), step_size=0.5, n_steps=2)
            tensor([0.3750, 0.6250])
        """
        features = flatten_features("diffuse", x, self.weights)
        step_size = check_real("diffuse", "step_size", step_size, zero=True)
        n_steps = check_steps("diffuse", "n_steps", n_steps)
        check_choice("diffuse", "method", method, get_args(DiffusionMethod))
        tolerance = check_real("diffuse", "tolerance", tolerance)
        warn_if_unstable(self, step_size)
        diffused = self._diffuse(features, step_size, n_steps, method, tolerance)
        return diffused.reshape(np.shape(x))

    def _diffuse(
        self, x: Tensor, step_size: float, n_steps: int, method: DiffusionMethod, tolerance: float
    ) -> Tensor:
        """Diffuse checked features, (N, d) or (T, N, d)."""
        if step_size == 0 or n_steps == 0 or x.numel() == 0:
            return x.clone()
        with torch.autocast(x.device.type, enabled=False):  # many steps need all the digits
            diffused = take_steps(self, x, step_size, n_steps, method=method, tolerance=tolerance)
        if not torch.isfinite(diffused.detach()).all() and torch.isfinite(x).all():
            got = f"{step_size:g} for {n_steps} steps, which made the features overflow"
            fail("diffuse", "step_size", "stable", got, "Lower it, or scale the features down.")
        return diffused

    def states(
        self,
        x: Array,
        step_size: float,
        steps: Iterable[int],
        *,
        method: DiffusionMethod = "auto",
        tolerance: float = 1e-6,
    ) -> Iterator[Tensor]:
        """Yield the features after each of `steps`, each state computed from the one before.

        Args:
            x: features, as for `diffuse`.
            step_size: gamma, as for `diffuse`.
            steps: numbers of steps, none smaller than the one before; 0 yields `x` itself.
            method: as for `diffuse`.
            tolerance: as for `diffuse`; errors add up over the states.

        Raises:
            ValueError: as `diffuse`; if `steps` decreases.

        Examples:
            >>> operator = DiffusionOperator(torch.tensor([[0.0, 0.5], [0.5, 0.0]]))
            >>> x = torch.tensor([0.0, 1.0])
            >>> [state.tolist() for state in operator.states(x, 0.5, steps=[0, 1, 2])]
            [[0.0, 1.0], [0.25, 0.75], [0.375, 0.625]]
        """
        features = flatten_features("states", x, self.weights)
        step_size = check_real("states", "step_size", step_size, zero=True)
        check_choice("states", "method", method, get_args(DiffusionMethod))
        tolerance = check_real("states", "tolerance", tolerance)
        counts = [check_steps("states", "steps", count) for count in steps]
        if sorted(counts) != counts:
            fail("states", "steps", "non-decreasing", counts, "Sort `steps`.")
        warn_if_unstable(self, step_size)
        shape = np.shape(x)

        def generate() -> Iterator[Tensor]:
            now = features
            for done, count in pairwise([0, *counts]):
                now = self._diffuse(now, step_size, count - done, method, tolerance)
                yield now.reshape(shape).clone()  # theirs to change

        return generate()

    def collapse(self, step_size: float, n_steps: int) -> "DiffusionOperator":
        """Return the operator whose one step of size 1 equals `n_steps` steps of this one.

        Its weights are the matrix P = (I - step_size (Lambda - W))^n_steps, which is non-negative
        with rows that sum to 1, so that a unit step gives P x. P is dense: worth its N^2 numbers
        where the same diffusion is applied many times to a few thousand points, as in training.

        Raises:
            ValueError: if an argument is out of range, or `step_size` is above
                `max_convex_step_size`, so that P may have negative entries.

        Examples:
            >>> operator = DiffusionOperator(torch.tensor([[0.0, 0.5], [0.5, 0.0]]))
            >>> operator.collapse(step_size=0.5, n_steps=2).weights
            tensor([[0.6250, 0.3750],
                    [0.3750, 0.6250]])
        """
        step_size = check_real("collapse", "step_size", step_size, zero=True)
        n_steps = check_steps("collapse", "n_steps", n_steps)
        if step_size > self.max_convex_step_size * ROUNDING:
            must = f"at most `max_convex_step_size` ({self.max_convex_step_size:g})"
            remedy = "Take more, smaller steps."
            fail("collapse", "step_size", must, f"{step_size:g}", remedy)
        step = self.step(step_size).matrix.to_dense().clamp(min=0)
        together = torch.linalg.matrix_power(step, n_steps)
        # Links over many steps fade to numbers that do not count but are slow to compute with.
        return DiffusionOperator(torch.where(together < FADED, 0, together))

    def to(self, target: torch.device | torch.dtype | str) -> "DiffusionOperator":
        """Return this operator on another device, or in float32 or float64; no other dtype."""
        if isinstance(target, torch.dtype) and target not in FLOAT_DTYPES:
            fail("to", "target", "a device, torch.float32 or torch.float64", target, "Use one.")
        return DiffusionOperator(self.weights.to(target))

    def __deepcopy__(self, memo: dict[int, Any]) -> "DiffusionOperator":
        # torch does not copy sparse tensors deeply.
        return DiffusionOperator(self.weights.detach())

    def step(self, step_size: float) -> Step:
        """Return one step as a matrix; that of constant weights is kept for the next call."""
        if self._last_step is not None and self._last_step[0] == step_size:
            return self._last_step[1]
        step = Step(mx.affine(self.laplacian, -step_size, 1))
        if not self.weights.requires_grad:
            self._last_step = step_size, step
        return step
