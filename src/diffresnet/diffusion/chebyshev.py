"""The diffusion polynomial (1 - gamma lambda)^r as a short Chebyshev series.

On an interval that holds the spectrum of the Laplacian, the series of degree about
sqrt(r log(1/tolerance)) agrees with the polynomial of degree r to the tolerance: the same operator
with far fewer products.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.fft import dct
from torch import Tensor

from diffresnet._support.checks import fail
from diffresnet.graph import matrix as mx

ROUNDING = 1 + 1e-6
"""How far a number may exceed a bound that is itself computed."""


@dataclass(frozen=True)
class ChebyshevSeries:
    """A polynomial of the Laplacian, sum_k c_k T_k(2 lambda / upper - 1) on [0, upper].

    Attributes:
        coefficients: c_0, ..., c_degree.
        upper: the right end of the interval.
    """

    coefficients: tuple[float, ...]
    upper: float

    @property
    def degree(self) -> int:
        """The number of products with the Laplacian that the series takes."""
        return len(self.coefficients) - 1

    def __call__(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Evaluate the polynomial at numbers in [0, upper]."""
        places = 2 * values / self.upper - 1
        return np.asarray(np.polynomial.chebyshev.chebval(places, self.coefficients), np.float64)

    def apply(self, laplacian: Tensor, x: Tensor) -> Tensor:
        """Apply the polynomial of `laplacian` (N, N) or (T, N, N) to x, (N, d) or (T, N, d)."""
        first, *others = self.coefficients
        result = first * x
        if not others:
            return result
        # Twice the Laplacian moved to [-1, 1]: T_{k+1} = 2 t T_k - T_{k-1} is then one product.
        doubled = mx.affine(laplacian, 4 / self.upper, -2)
        before = x.clone(memory_format=torch.contiguous_format)
        now = (doubled @ before) / 2
        result = result + others[0] * now
        for coefficient in others[1:]:
            before, now = now, mx.add_product(before, doubled, now, beta=-1)
            result.add_(now, alpha=coefficient)
        return result


@lru_cache(maxsize=64)
def diffusion_series(
    step_size: float, n_steps: int, upper: float, tolerance: float = 1e-6
) -> ChebyshevSeries:
    """Expand (1 - step_size lambda)^n_steps on [0, upper] to a relative error of `tolerance`.

    The error is uniform on the interval, where the polynomial is at most 1, so for symmetric
    weights it bounds the error of the diffused features in the 2-norm. At lambda = 0 the series is
    1 up to rounding: constants are preserved.

    Args:
        step_size: gamma, positive.
        n_steps: r, the degree of the polynomial; the series is never longer.
        upper: at least the largest eigenvalue of the Laplacian, and at most 2 / step_size.
        tolerance: positive.

    Raises:
        ValueError: if `upper` is out of range.

    Examples:
        >>> series = diffusion_series(step_size=1.0, n_steps=900, upper=2.0)
        >>> series.degree
        150
    """
    if step_size * upper > 2 * ROUNDING:
        must, remedy = f"at most 2 / `step_size` ({2 / step_size:g})", "Lower `step_size`."
        fail("diffusion_series", "upper", must, f"{upper:g}", remedy)
    coefficients = _interpolate(step_size, n_steps, upper, tolerance)
    # Half of the tolerance is for the terms left out, half for the correction at 0.
    tails = np.cumsum(np.abs(coefficients[::-1]))[::-1]
    n_kept = max(1, int(np.count_nonzero(tails > tolerance / 2)))
    kept = coefficients[:n_kept].copy()
    at_zero = np.where(np.arange(n_kept) % 2 == 0, kept, -kept)
    kept[0] += 1 - math.fsum(at_zero)
    return ChebyshevSeries(tuple(kept.tolist()), upper)


def _interpolate(
    step_size: float, n_steps: int, upper: float, tolerance: float
) -> NDArray[np.float64]:
    """Return the Chebyshev coefficients of the polynomial, as many as are not negligible.

    The n-th is below 2 exp(-n^2 / (2 n_steps)): far fewer nodes than `n_steps` determine them.
    """
    enough = 16 + math.ceil(4 * math.sqrt(n_steps * math.log(4 / min(tolerance, 1.0))))
    n_nodes = min(n_steps, enough) + 1
    angles = np.pi * (np.arange(n_nodes) + 0.5) / n_nodes
    # step_size lambda, and 2 minus it: each exact near 0, where the power is not negligible.
    part = step_size * upper * np.cos(angles / 2) ** 2
    rest = 2 - step_size * upper + step_size * upper * np.sin(angles / 2) ** 2
    logs = np.log1p(-np.minimum(np.minimum(part, rest), 1 - 2.0**-53))
    signs = np.where((part > 1) & (n_steps % 2 == 1), -1.0, 1.0)
    coefficients = dct(signs * np.exp(n_steps * logs), type=2) / n_nodes
    coefficients[0] /= 2
    return coefficients
