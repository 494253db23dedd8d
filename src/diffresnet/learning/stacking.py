"""Weights of several predictions: a convex problem on values that were held out."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import nnls

SUM_WEIGHT = 1e3
"""What keeps the sum of the weights at one, against the errors of all held-out values."""


def stack(
    held_out: npt.NDArray[Any],
    targets: npt.NDArray[Any],
    expected: tuple[float, ...],
    doubt: float,
) -> npt.NDArray[np.float64]:
    """Return weights w of predictions, not negative and of sum one.

    They minimize |y - F w|^2 / s^2 + doubt |w - e|^2, where s^2 is the mean squared error of F e:
    as long as held-out values are few, the weights stay near those that are expected.

    Args:
        held_out: (n, P) F, predictions of the values, each learned without it.
        targets: (n,) y, the values.
        expected: (P,) e, the weights beforehand, of sum one.
        doubt: how many values it takes to outweigh these, about.

    Examples:
        >>> targets = np.linspace(-1, 1, 200)
        >>> held_out = np.stack([targets, -targets], axis=1)
        >>> stack(held_out, targets, (0.5, 0.5), doubt=1.0).round(2)
        array([1., 0.])
    """
    usual = np.asarray(expected)
    error = float(np.sqrt(np.mean((targets - held_out @ usual) ** 2)))
    if error == 0 or len(usual) == 1:
        return usual
    near, one = np.sqrt(doubt) * np.eye(len(usual)), SUM_WEIGHT * np.sqrt(len(targets) + doubt)
    matrix = np.concatenate([held_out / error, near, np.full((1, len(usual)), one)])
    wanted = np.concatenate([targets / error, np.sqrt(doubt) * usual, [one]])
    found = nnls(matrix, wanted)[0]
    return found / found.sum()
