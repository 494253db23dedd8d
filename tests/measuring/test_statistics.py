import math

import numpy as np
import pytest

from diffresnet.measuring.statistics import (
    difference_of,
    half_interval,
    percent,
    percent_interval,
    wilson_interval,
)


def test_an_interval_is_students() -> None:
    values = np.array([0.1, 0.4, 0.3, 0.8])
    mean = sum(values) / 4
    deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / 3)
    assert half_interval(values) == pytest.approx(3.182446 * deviation / 2)  # 3 degrees
    assert math.isnan(half_interval(values[:1]))


def test_pairs_are_compared_one_by_one() -> None:
    first, second = np.array([0.5, 0.7, 0.9]), np.array([0.4, 0.7, 0.6])
    found = difference_of(first, second)
    assert found.difference == pytest.approx(0.4 / 3)
    assert found.ci95 == pytest.approx(half_interval(first - second))
    assert difference_of(first[:1], second[:1]).to_json()["ci95"] is None


def test_how_they_stand_in_tables() -> None:
    assert percent(0.71114, 0.0024) == "71.11 ± 0.24"
    assert percent(0.1, 0.01, sign=True) == "+10.00 ± 1.00"
    assert percent(0.1, float("nan")) == "10.00"
    assert percent(0.71114, 0.0024, digits=1) == "71.1 ± 0.2"


def test_how_they_stand_in_pictures() -> None:
    values = np.array([0.1, 0.4, 0.3, 0.8])
    assert percent_interval(values) == pytest.approx((40, 100 * half_interval(values)))


def test_wilsons_interval_has_the_proportion_at_its_ends() -> None:
    for right, n_cases in ((0, 5), (3, 10), (80, 80), (17, 40)):
        low, high = wilson_interval(right / n_cases, n_cases)
        assert 0 <= low <= right / n_cases <= high + 1e-9 <= 1 + 1e-9
        for end in (low, high):
            gap = abs(right / n_cases - end)
            assert gap == pytest.approx(1.959964 * math.sqrt(end * (1 - end) / n_cases), abs=1e-6)
