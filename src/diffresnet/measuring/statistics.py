"""The one interval and the one paired difference of all tables."""

from dataclasses import dataclass
from math import isnan, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import t as student

from diffresnet._support.writing import finite

Floats = npt.NDArray[np.float64]

NORMAL = 1.959964
"""Deviations of a normal density within which 95 % lie."""


@dataclass(frozen=True)
class PairedDifference:
    """By how much one method is better than another on the same units.

    Attributes:
        difference: of the means, the first minus the second.
        ci95: half of its 95 % interval, from the differences unit by unit; NaN for one unit.
    """

    difference: float
    ci95: float

    def to_json(self) -> dict[str, float | None]:
        """Return the numbers, for a file."""
        return {"difference": self.difference, "ci95": finite(self.ci95)}


def half_interval(values: Floats) -> float:
    """Return half of the 95 % interval of a mean, by Student's t over independent units.

    NaN if there is one value only.

    Examples:
        >>> round(half_interval(np.array([0.0, 1.0, 2.0])), 3)
        2.484
    """
    n_values = len(values)
    if n_values < 2:
        return float("nan")
    quantile: Any = student.ppf(0.975, n_values - 1)
    return float(quantile * values.std(ddof=1) / np.sqrt(n_values))


def wilson_interval(proportion: float, n_cases: float) -> tuple[float, float]:
    """Return the 95 % interval of a proportion that was found in independent cases (Wilson).

    Args:
        proportion: that was found, from 0 to 1.
        n_cases: how many; weighted ones may be a fraction.

    Examples:
        >>> [round(end, 3) for end in wilson_interval(0.9, 50)]
        [0.786, 0.957]
    """
    squared = NORMAL**2 / n_cases
    center = (proportion + squared / 2) / (1 + squared)
    variance = proportion * (1 - proportion) / n_cases + squared / (4 * n_cases)
    half = NORMAL * sqrt(variance) / (1 + squared)
    return max(0.0, center - half), min(1.0, center + half)


def percent_interval(values: Floats) -> tuple[float, float]:
    """Return the mean and half of its 95 % interval, in percent, for a picture."""
    return 100 * float(values.mean()), 100 * half_interval(values)


def difference_of(first: Floats, second: Floats) -> PairedDifference:
    """Compare two methods unit by unit.

    Args:
        first: (n,) what one had.
        second: (n,) what the other had, on the same units.
    """
    differences = first - second
    return PairedDifference(float(differences.mean()), half_interval(differences))


def percent(mean: float, half_width: float, *, sign: bool = False, digits: int = 2) -> str:
    """Return a mean and half of its interval as they stand in a table.

    Examples:
        >>> percent(0.71114, 0.0024), percent(0.5, float("nan"), sign=True)
        ('71.11 ± 0.24', '+50.00')
    """
    shown = f"{100 * mean:{'+' if sign else ''}.{digits}f}"
    return shown if isnan(half_width) else f"{shown} ± {100 * half_width:.{digits}f}"
