"""Intervals that hold a value as often as asked for, from values that were held out.

The errors of held-out values say how wide they are (the jackknife). Errors may differ from place to
place: regression of the errors themselves, by features and graph together, says how large they are
expected to be, the more so the more values there are.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from diffresnet.estimators.parts.part import RidgePart
from diffresnet.estimators.points import Places
from diffresnet.learning.values import Values

Floats = npt.NDArray[np.float64]

MANY_ERRORS = 50.0
"""Held-out values at which half of the width is local."""

LEAST, MOST = 0.25, 3.0
"""How much smaller or larger than their mean errors are expected to be anywhere."""


@dataclass(frozen=True)
class ErrorScale:
    """How large errors are expected to be.

    Attributes:
        errors: sizes of the errors of held-out values.
        part: what was learned from them.
    """

    errors: Values
    part: RidgePart

    @property
    def held_out(self) -> Floats:
        """The error that is expected of each held-out value, (n,), by the others."""
        return self._bound(self.part.held_out[:, 0])

    def at(self, places: Places) -> Floats:
        """Return the error that is expected of any points, (n,)."""
        return self._bound(self.part.score(places).double()[:, 0])

    def _bound(self, standardized: torch.Tensor) -> Floats:
        mean, n_errors = self.errors.center, len(self.errors.rows)
        if mean == 0:
            return np.ones(len(standardized))
        local = self.errors.restore(standardized).clamp(LEAST * mean, MOST * mean)
        return torch.lerp(
            torch.full_like(local, mean), local, n_errors / (n_errors + MANY_ERRORS)
        ).numpy()


def held_out_quantile(errors: Floats, coverage: float) -> float:
    """Return what the error of one more value stays below as often as asked for.

    That is the ceil((n + 1) coverage)-th of n errors in order.

    Examples:
        >>> held_out_quantile(np.array([3.0, 1.0, 2.0, 4.0]), 0.75)
        4.0
    """
    rank = math.ceil((len(errors) + 1) * coverage - 1e-9)
    return float(np.sort(errors)[max(rank, 1) - 1])
