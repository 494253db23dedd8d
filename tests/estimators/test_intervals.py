import numpy as np
import pytest
import torch

from diffresnet.estimators.intervals import LEAST, MANY_ERRORS, MOST, ErrorScale, held_out_quantile
from diffresnet.estimators.parts.propagation import GraphKernel, fit_propagation
from diffresnet.learning.values import Values
from tests.estimators.examples import clusters, fitted

POINTS = fitted(clusters()[0])


def scale_of(errors: torch.Tensor, rows: torch.Tensor) -> ErrorScale:
    values = Values(rows, errors.double())
    return ErrorScale(values, fit_propagation(GraphKernel.of(POINTS, values), values))


@pytest.mark.parametrize(
    ("n_errors", "coverage", "rank"), [(9, 0.9, 9), (19, 0.9, 18), (99, 0.9, 90), (10, 0.01, 1)]
)
def test_the_quantile_has_one_more_value_in_mind(n_errors: int, coverage: float, rank: int) -> None:
    errors = np.random.default_rng(0).permutation(np.arange(1.0, n_errors + 1))
    assert held_out_quantile(errors, coverage) == rank


def test_the_quantile_covers_one_more_value_as_often_as_asked() -> None:
    generator = np.random.default_rng(0)
    drawn = np.abs(generator.standard_normal((4000, 20)))
    covered = [one[-1] <= held_out_quantile(one[:-1], 0.9) for one in drawn]
    assert np.mean(covered) == pytest.approx(0.9, abs=0.015)


def test_errors_are_expected_where_they_were() -> None:
    rows = torch.arange(0, 120, 2)
    errors = torch.where(rows < 40, 2.0, 0.5)
    found = scale_of(errors, rows)
    expected = found.at(POINTS.places)
    part = 60 / (60 + MANY_ERRORS)
    assert np.allclose(expected[:40], 1 - part + 2 * part, atol=0.05)
    assert np.allclose(expected[40:], 1 - part + 0.5 * part, atol=0.05)
    assert np.allclose(found.held_out, expected[::2], atol=0.05)


def test_few_errors_are_the_same_everywhere() -> None:
    found = scale_of(torch.tensor([1.0, 5.0, 0.0]), torch.tensor([0, 40, 80])).at(POINTS.places)
    assert found.min() >= 2 - 3 / MANY_ERRORS * 2 * (1 - LEAST)
    assert found.max() <= 2 + 3 / MANY_ERRORS * 2 * (MOST - 1)


def test_no_errors_at_all() -> None:
    found = scale_of(torch.zeros(5), torch.arange(5))
    assert found.at(POINTS.places).tolist() == [1] * 120
    assert found.held_out.tolist() == [1] * 5
