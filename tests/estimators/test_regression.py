"""Against dense loops: each part, what it says of a value left out, and the sum of the parts."""

import math

import numpy as np
import pytest
import torch

from diffresnet.estimators.points import FittedPoints
from diffresnet.estimators.regression import RegressionSettings, regress
from diffresnet.graph import matrix as mx
from diffresnet.learning.mixture_settings import FLOOR
from diffresnet.learning.ridge import solve_targets
from tests.estimators.examples import SETTINGS, clusters, fitted

GIVEN, CLASSES = clusters()
ROWS = np.arange(0, 120, 5)


def some_values(seed: int = 0) -> np.ndarray:
    values = np.full(120, np.nan)
    noise = np.random.default_rng(seed).standard_normal(len(ROWS))
    values[ROWS] = 3 * CLASSES[ROWS] + GIVEN[ROWS, 0] / 4 + 0.1 * noise
    return values


def dense_kernel(points: FittedPoints) -> np.ndarray:
    """Return (L / m + floor)^-2 without what it does to constants, by all modes."""
    laplacian = points.operator.laplacian.to_dense().double().numpy()
    mean = float(mx.diagonal(points.operator.laplacian).double().mean())
    rates, modes = np.linalg.eigh(laplacian)
    kernel = (modes * (rates / mean + FLOOR) ** -2) @ modes.T
    center = np.eye(120) - 1 / 120
    return center @ kernel @ center


def predict_densely(
    kernel: np.ndarray, rows: np.ndarray, values: np.ndarray, ridge: float
) -> np.ndarray:
    """Return H a + b = y, a of sum zero, at all points."""
    n_rows = len(rows)
    system = np.ones((n_rows + 1, n_rows + 1))
    system[:-1, :-1] = kernel[np.ix_(rows, rows)] + ridge * np.eye(n_rows)
    system[-1, -1] = 0
    solved = np.linalg.solve(system, np.append(values, 0))
    return kernel[:, rows] @ solved[:-1] + solved[-1]


def test_values_spread_over_the_graph_as_by_dense_loops() -> None:
    points, values = FittedPoints.make(GIVEN, None, **SETTINGS, n_modes=120), some_values()
    found = regress(points, values, step_size=0.5, seed=0)
    part = found.parts[0]
    kernel = dense_kernel(points)
    kernel /= kernel[ROWS, ROWS].mean()
    slow = predict_densely(kernel, ROWS, values[ROWS], part.ridge.penalty.ridge)
    own = found.values.restore(part.score(points.places)[:, 0]).numpy()
    assert np.allclose(own, slow, atol=1e-3)
    for place in range(0, len(ROWS), 5):
        rest = np.delete(ROWS, place)
        without = predict_densely(kernel, rest, values[rest], part.ridge.penalty.ridge)[ROWS[place]]
        fast = found.values.restore(part.held_out[place, 0])
        assert float(fast) == pytest.approx(without, abs=1e-3)


def test_predictions_are_the_weighted_sum_within_the_range() -> None:
    points, values = fitted(GIVEN), some_values()
    found = regress(points, values, step_size=0.5, seed=0)
    assert sum(found.weights) == pytest.approx(1)
    assert min(found.weights) >= 0
    total = sum(
        weight * part.score(points.places)[:, 0].double().numpy()
        for weight, part in zip(found.weights, found.parts, strict=True)
    )
    expected = np.clip(
        found.values.center + found.values.spread * np.asarray(total),
        np.nanmin(values),
        np.nanmax(values),
    )
    assert np.allclose(found.predict(points.places), expected)
    expected[ROWS] = values[ROWS]
    assert np.allclose(found.fitted, expected)


def test_what_is_held_out_stays_within_the_range_of_the_others() -> None:
    found = regress(fitted(GIVEN), some_values(), step_size=0.5, seed=0)
    values = found.values.values.numpy()
    for place, value in enumerate(found.held_out):
        others = np.delete(values, place)
        assert others.min() <= value <= others.max()


def test_weights_are_equal_where_held_out_values_do_not_count() -> None:
    settings = RegressionSettings(doubt=1e12)
    found = regress(fitted(GIVEN), some_values(), step_size=0.5, seed=0, settings=settings)
    assert np.allclose(found.weights, 0.25, atol=1e-4)


def test_a_graph_alone_has_one_part() -> None:
    links = fitted(GIVEN).operator.weights
    points = FittedPoints.make(None, links, **SETTINGS)
    found = regress(points, some_values(), step_size=0.5, seed=0)
    assert found.weights == (1.0,)
    assert np.corrcoef(found.fitted, CLASSES)[0, 1] > 0.95


def test_a_kernel_of_nothing_gives_the_mean() -> None:
    targets = torch.tensor([[1.0], [2.0], [9.0]]).double()
    found = solve_targets(torch.zeros(3, 3).double(), targets)
    assert found.bias.tolist() == [pytest.approx(4)]
    assert found.held_out[:, 0].tolist() == [pytest.approx(one) for one in (5.5, 5, 1.5)]


def test_intervals_of_what_no_value_reaches_are_those_of_the_mean() -> None:
    values = np.where(CLASSES < 2, some_values(), np.nan)
    points = fitted(GIVEN)
    found = regress(points, values, step_size=0.5, seed=0)
    assert np.array_equal(found.reached, CLASSES < 2)
    given = values[~np.isnan(values)]
    assert np.allclose(found.fitted[CLASSES == 2], given.mean())
    ends = found.intervals(points.places, found.fitted, 0.8)[CLASSES == 2]
    others = [np.delete(given, one).mean() for one in range(len(given))]
    errors = np.sort(np.abs(given - others))
    half = errors[math.ceil(0.8 * (len(given) + 1)) - 1]
    assert np.allclose(ends, [given.mean() - half, given.mean() + half])
