"""Functions of the Laplacian that favor slow modes: these exactly, all others by a polynomial."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from numpy.polynomial.chebyshev import chebinterpolate
from torch import Tensor

from diffresnet._support.threads import share
from diffresnet.diffusion.spectrum import Spectrum
from diffresnet.graph import matrix as mx
from diffresnet.graph.product import product

Function = Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]

TOLERANCE = 1e-2
"""Of the polynomial, relative to the largest value that the function has beyond the slow modes."""

LARGEST_DEGREE = 60
BLOCK = 2**24
FEWEST_COLUMNS = 8
"""As many columns are filtered at a time as have this many numbers, and no fewer than some."""

ROWS = 2**13
"""Rows of the modes that are taken in double precision at a time."""

MARGIN = 0.5
"""The slow modes are not exact: the polynomial holds from this part of the last rate on."""


@dataclass(frozen=True)
class GraphFilter:
    """f(L) of a Laplacian L, without what it does to constants.

    Attributes:
        laplacian: (N, N) CSR, symmetric, in single precision.
        modes: (N, m) slow modes.
        gains: (m,) what f makes of them.
        coefficients: of the polynomial, in Chebyshev's form on [low, high].
        low: end of the interval.
        high: the other end.
    """

    laplacian: Tensor
    modes: Tensor
    gains: Tensor
    coefficients: tuple[float, ...]
    low: float
    high: float

    @classmethod
    def of(cls, laplacian: Tensor, spectrum: Spectrum, function: Function) -> "GraphFilter":
        """Prepare a filter.

        Args:
            laplacian: (N, N) CSR, symmetric.
            spectrum: its slow modes.
            function: f, positive and falling.
        """
        rates = spectrum.rates.double()
        gains = torch.from_numpy(function(rates.numpy()))
        high = 2 * float(mx.diagonal(laplacian).max())
        low = min(MARGIN * float(rates[-1]), high)
        coefficients: tuple[float, ...] = ()
        if len(rates) < laplacian.shape[0] and low < high:
            coefficients = _interpolate(function, low, high)
        return cls(laplacian.float(), spectrum.modes, gains, coefficients, low, high)

    def apply(self, columns: Tensor) -> Tensor:
        """Return f(L) times (N, c) columns, with the mean of each taken off before and after.

        It is done some columns at a time, in little more memory than the result takes.
        """
        result = torch.empty(columns.shape, dtype=torch.float64)
        width = max(FEWEST_COLUMNS, BLOCK // len(columns))

        def fill(start: int) -> None:
            some = slice(start, start + width)
            result[:, some] = self._apply_some(columns[:, some])

        share(fill, range(0, columns.shape[1], width))
        return result

    def _apply_some(self, columns: Tensor) -> Tensor:
        moved = columns.double() - columns.double().mean(dim=0)
        rows = [slice(start, start + ROWS) for start in range(0, len(moved), ROWS)]
        parts = (self.modes[some].double().mT @ moved[some] for some in rows)
        shares = reduce(Tensor.add_, parts)
        fast = torch.empty(moved.shape) if self.coefficients else None
        for some in rows:
            modes, theirs = self.modes[some].double(), moved[some]
            if fast is not None:
                fast[some] = theirs - modes @ shares
            moved[some] = modes @ (self.gains.unsqueeze(1) * shares)
        if fast is not None:
            moved += self._apply_polynomial(fast)
        moved -= moved.mean(dim=0)
        return moved

    def _apply_polynomial(self, fast: Tensor) -> Tensor:
        half = (self.high - self.low) / 2
        shift = (self.high + self.low) / 2

        def times(x: Tensor) -> Tensor:
            return product(self.laplacian, x).sub_(x, alpha=shift).div_(half)

        first, *others = self.coefficients
        result, before = first * fast, fast
        if not others:
            return result
        now = times(fast)
        result.add_(now, alpha=others[0])
        for coefficient in others[1:]:
            before, now = now, times(now).mul_(2).sub_(before)
            result.add_(now, alpha=coefficient)
        return result


def _interpolate(function: Function, low: float, high: float) -> tuple[float, ...]:
    """Return as many Chebyshev coefficients of the function on an interval as matter."""

    def moved(places: npt.NDArray[np.float64]) -> Any:
        return function(low + (places + 1) * (high - low) / 2)

    found = chebinterpolate(moved, LARGEST_DEGREE)
    tails = np.cumsum(np.abs(found[::-1]))[::-1]
    limit = TOLERANCE * float(function(np.array([low]))[0])
    return tuple(found[: max(1, int((tails > limit).sum()))].tolist())
