"""Functions of the Laplacian that favor slow modes: these exactly, all others by a polynomial."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from numpy.polynomial.chebyshev import chebinterpolate
from torch import Tensor

from diffresnet._support.threads import share
from diffresnet.diffusion.spectrum import Spectrum
from diffresnet.graph import matrix as mx
from diffresnet.graph.product import COLUMNS, SharedProduct, column_blocks, product

Function = Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]

TOLERANCE = 1e-2
"""Of the polynomial, relative to the largest value that the function has beyond the slow modes."""

LARGEST_DEGREE = 60
MARGIN = 0.9
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
            coefficients = interpolate(function, low, high)
        modes = spectrum.modes.float()
        return cls(laplacian.float(), modes, gains.float(), coefficients, low, high)

    def __deepcopy__(self, memo: object) -> "GraphFilter":
        return self  # nothing of it ever changes, and CSR tensors cannot be copied so

    @property
    def n_points(self) -> int:
        """N."""
        return self.modes.shape[0]

    def apply(self, columns: Tensor) -> Tensor:
        """Return f(L) times (N, c) columns, with the mean of each taken off before and after."""
        moved = columns.float() - columns.float().mean(dim=0)
        in_modes = self.modes.mT @ moved
        result = self.modes @ (self.gains.unsqueeze(1) * in_modes)
        if self.coefficients:
            fast = moved.addmm_(self.modes, in_modes, alpha=-1)
            result += self._apply_polynomial(fast)
        return result.sub_(result.mean(dim=0))

    def _apply_polynomial(self, fast: Tensor) -> Tensor:
        if fast.shape[1] <= COLUMNS:
            return self._filter(fast, SharedProduct(self.laplacian))
        times = partial(product, self.laplacian)
        blocks = share(lambda block: self._filter(block, times), column_blocks(fast))
        return torch.cat(blocks, dim=1)

    def _filter(self, fast: Tensor, times: Callable[[Tensor], Tensor]) -> Tensor:
        half = (self.high - self.low) / 2
        shift = (self.high + self.low) / 2
        first, *others = self.coefficients
        result, before = first * fast, fast
        if not others:
            return result
        now = times(fast).sub_(fast, alpha=shift).div_(half)
        result.add_(now, alpha=others[0])
        for coefficient in others[1:]:
            after = times(now).sub_(now, alpha=shift).mul_(2 / half).sub_(before)
            before, now = now, after
            result.add_(now, alpha=coefficient)
        return result


def interpolate(function: Function, low: float, high: float) -> tuple[float, ...]:
    """Return as many Chebyshev coefficients of the function on an interval as matter."""

    def moved(places: npt.NDArray[np.float64]) -> Any:
        return function(low + (places + 1) * (high - low) / 2)

    found = chebinterpolate(moved, LARGEST_DEGREE)
    tails = np.cumsum(np.abs(found[::-1]))[::-1]
    limit = TOLERANCE * float(function(np.array([low]))[0])
    return tuple(found[: max(1, int((tails > limit).sum()))].tolist())
