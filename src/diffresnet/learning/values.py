"""Values as people write them, some missing: what a regression learns from."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, SupportsFloat

import numpy as np
import numpy.typing as npt
import torch
from sklearn.utils import column_or_1d
from torch import Tensor

from diffresnet._support.checks import as_array, fail
from diffresnet.learning.labels import unmasked
from diffresnet.learning.ridge import VALUE_PENALTIES, Penalty, Ridge, solve_targets

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Values:
    """The points that have a value.

    Attributes:
        rows: (n,) which points.
        values: (n,) these.
        whole: of which these are some, and whose mean and deviation count; None if they are all.
    """

    rows: Tensor
    values: Tensor
    whole: "Values | None" = None

    @classmethod
    def of(cls, given: Floats) -> "Values":
        """Take the values out of (N,) numbers, NaN where there is none."""
        rows = np.flatnonzero(~np.isnan(given))
        return cls(torch.from_numpy(rows), torch.from_numpy(given[rows]))

    @cached_property
    def center(self) -> float:
        """Their mean."""
        if self.whole is not None:
            return self.whole.center
        # Very large values first become moderate: their sum would not be.
        return float((self.values / len(self.values)).sum())

    @cached_property
    def spread(self) -> float:
        """Their standard deviation, or 1 if they are equal."""
        if self.whole is not None:
            return self.whole.spread
        moved = self.values - self.center
        size = float(moved.abs().max())
        if size == 0:
            return 1.0
        return size * float((moved / size).square().mean().sqrt())

    @property
    def standardized(self) -> Tensor:
        """The values in units of their deviation from the mean, (n,)."""
        return (self.values - self.center) / self.spread

    def restore(self, standardized: Tensor) -> Tensor:
        """Return standardized values in the units they had."""
        return self.center + self.spread * standardized

    def take(self, some: Tensor) -> "Values":
        """Return some of the values, in the units of all."""
        return Values(self.rows[some], self.values[some], self.whole or self)

    def first(self, order: Tensor, n_most: int) -> Tensor:
        """Return places of values, the first in an order."""
        return order[:n_most]

    def regress(
        self, gram: Tensor, some: Tensor | None = None, penalty: Penalty | None = None
    ) -> Ridge:
        """Return kernel ridge regression of the standardized values, or of some of them.

        The constant is free, so that what is said of a value left out does not depend on it.

        Args:
            gram: (n, n) kernel of these.
            some: (n,) which values; None for all.
            penalty: None to let held-out values choose.
        """
        targets = self.standardized if some is None else self.standardized[some]
        penalties = VALUE_PENALTIES if penalty is None else (penalty,)
        return solve_targets(gram, targets.unsqueeze(1), penalties)


def encode_values(function: str, argument: str, y: Any) -> Floats:
    """Return the value of each point, NaN where there is none.

    Args:
        function: which takes the values, for messages.
        argument: its argument, for messages.
        y: (N,) real numbers; None and NaN are no value.

    Raises:
        ValueError: if they are not one-dimensional, no real numbers, or infinite.

    Examples:
        >>> encode_values("fit", "y", [1, None, -1.5])
        array([ 1. ,  nan, -1.5])
    """
    given = as_array(function, argument, unmasked(y))
    if given.ndim == 2 and given.shape[1] == 1:
        given = column_or_1d(given, warn=True)
    if given.ndim != 1:
        remedy = "Give one value, or NaN, for each point."
        fail(function, argument, "one-dimensional", f"shape {given.shape}", remedy)
    remedy = "Pass numbers; None and NaN mean that there is no value."
    if given.dtype == object:
        given = np.array([_to_number(function, argument, one) for one in given.tolist()])
    elif given.dtype.kind not in "fiub":
        more = " (Complex data not supported)" if given.dtype.kind == "c" else ""
        fail(function, argument, "real numbers", f"dtype {given.dtype}{more}", remedy)
    values = given.astype(np.float64)
    if np.isinf(values).any():
        got = f"infinity in row {int(np.flatnonzero(np.isinf(values))[0])}"
        fail(function, argument, "finite where there is a value", got, remedy)
    return values


def _to_number(function: str, argument: str, one: Any) -> float:
    """Return a number, NaN for none."""
    try:
        if one is None or one != one:  # noqa: PLR0124  (NaN is not itself)
            return math.nan
    except TypeError:  # pandas' NA has no truth value
        return math.nan
    if isinstance(one, str | bytes) or not isinstance(one, SupportsFloat):
        remedy = "Pass numbers; None and NaN mean that there is no value."
        fail(function, argument, "real numbers", repr(one), remedy)
    return float(one)
