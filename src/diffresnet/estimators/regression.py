"""What a regression learns from values, given the points: one path for fitted and new points.

Four ways learn: values spread over the graph, the features alone, features and graph together, and
the features linearly. All are kernel ridge regression, which says in closed form what it would have
said of each value without it; by that the ways are weighed. What diffusion brings to a point lies
between the values that it comes from, so no prediction leaves the range of the values.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from diffresnet.estimators.intervals import ErrorScale, held_out_quantile
from diffresnet.estimators.parts.linear import fit_linear
from diffresnet.estimators.parts.part import RidgePart
from diffresnet.estimators.parts.ridges import fit_ridges
from diffresnet.estimators.points import FittedPoints, Places
from diffresnet.learning.stacking import stack
from diffresnet.learning.values import Values

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class RegressionSettings:
    """What a regression depends on.

    Attributes:
        doubt: how many held-out values it takes to outweigh equal weights; see `stack`.
    """

    doubt: float = 20.0


DEFAULT_REGRESSION = RegressionSettings()
LARGEST = float(np.finfo(np.float64).max)
"""Where an interval of very large values ends."""


@dataclass(frozen=True)
class Regression:
    """What was learned.

    Attributes:
        points: that were fitted.
        values: of some of them.
        parts: the ways to learn.
        weights: of these, of sum one.
        reached: (N,) whether a value reaches a point; the mean stands for others.
        step_size: of diffusion.
        seed: of everything that is drawn.
    """

    points: FittedPoints
    values: Values
    parts: tuple[RidgePart, ...]
    weights: tuple[float, ...]
    reached: npt.NDArray[np.bool_]
    step_size: float
    seed: int

    @cached_property
    def fitted(self) -> Floats:
        """The values of the fitted points, (N,): as given, or as predicted."""
        found = self.predict(self.points.places)
        found[self.values.rows.numpy()] = self.values.values.numpy()
        return found

    def predict(self, places: Places) -> Floats:
        """Return the values of any points, (n,)."""
        scores = self._mix([part.score(places) for part in self.parts])
        given = self.values.values
        found = self.values.restore(scores).clamp(float(given.min()), float(given.max())).numpy()
        found[~self._is_reached(places)] = self.values.center
        return found

    @cached_property
    def held_out(self) -> Floats:
        """What the other values say of each value, (n,)."""
        found = self.values.restore(self._mix([part.held_out for part in self.parts]))
        return np.clip(found.numpy(), *_range_of_others(self.values.values.numpy()))

    def intervals(self, places: Places, predicted: Floats, coverage: float) -> Floats:
        """Return the ends of intervals around predictions, (n, 2).

        Args:
            places: of the points.
            predicted: (n,) their values.
            coverage: how often the value is to be in the interval.
        """
        given, scale = self.values.values.numpy(), self._error_scale
        errors = np.abs(given - self.held_out) / scale.held_out
        halves = held_out_quantile(errors, coverage) * scale.at(places)
        # Without the value i, the mean of n values misses it by n / (n - 1) of what it does with.
        with np.errstate(over="ignore"):  # of very large values
            from_mean = np.abs(given - self.values.center) * len(given) / (len(given) - 1)
            halves[~self._is_reached(places)] = held_out_quantile(from_mean, coverage)
            ends = np.stack([predicted - halves, predicted + halves], axis=1)
        return np.clip(ends, -LARGEST, LARGEST)

    @cached_property
    def _error_scale(self) -> ErrorScale:
        errors = (self.values.values - torch.from_numpy(self.held_out)).abs()
        errors = Values(self.values.rows, errors)
        generator = torch.Generator().manual_seed(self.seed)
        # The last part is features and graph together, or the graph where there is nothing else.
        parts, _ = fit_ridges(self.points, errors, self.step_size, generator)
        return ErrorScale(errors, parts[-1])

    def _is_reached(self, places: Places) -> npt.NDArray[np.bool_]:
        return places.read(torch.from_numpy(self.reached.astype(np.float64))).numpy() > 0.5

    def _mix(self, columns: list[Tensor]) -> Tensor:
        return torch.cat(columns, dim=1).double() @ torch.tensor(self.weights).double()


def regress(
    points: FittedPoints,
    given: Floats,
    *,
    step_size: float,
    seed: int,
    settings: RegressionSettings = DEFAULT_REGRESSION,
) -> Regression:
    """Learn from values.

    Args:
        points: all of them, and their graph.
        given: (N,) their values, NaN where there is none.
        step_size: of diffusion.
        seed: of everything that is drawn.
        settings: of everything else.
    """
    values = Values.of(given)
    generator = torch.Generator().manual_seed(seed)
    parts, _ = fit_ridges(points, values, step_size, generator)
    if points.points is not None:
        parts.append(fit_linear(points, values))
    weights = weigh_parts(parts, values, settings)
    reached = np.isin(points.components, points.components[values.rows.numpy()])
    return Regression(points, values, tuple(parts), weights, reached, step_size, seed)


def weigh_parts(
    parts: Sequence[RidgePart], values: Values, settings: RegressionSettings = DEFAULT_REGRESSION
) -> tuple[float, ...]:
    """Return the weights of the parts that fit held-out values, of sum one."""
    held_out = torch.cat([part.held_out for part in parts], dim=1).numpy()
    equal = (1 / len(parts),) * len(parts)
    return tuple(stack(held_out, values.standardized.numpy(), equal, settings.doubt).tolist())


def _range_of_others(values: Floats) -> tuple[Floats, Floats]:
    """Return the least and the largest of the other values, for each value."""
    ordered: Any = np.sort(values)
    others = ordered[[1, -2]] if len(values) > 1 else ordered[[0, 0]]
    low = np.where(values == ordered[0], others[0], ordered[0])
    return low, np.where(values == ordered[-1], others[1], ordered[-1])
