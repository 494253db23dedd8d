import numpy as np
import pytest
import torch

from diffresnet.theory.direction_search import descend, discriminants, fit_order, fit_orders, whiten
from diffresnet.theory.intervals import GroupedRows, unit
from tests.theory.examples import slabs


def hidden_slabs(seed: int) -> GroupedRows:
    data = slabs(torch.Generator().manual_seed(seed), 6)
    return GroupedRows.of(data.points.numpy(), data.subclasses.numpy())


def test_whitened_points_spread_alike() -> None:
    data = hidden_slabs(0)
    white, back = whiten(data)
    np.testing.assert_allclose(np.cov(white.deviations.T, bias=True), np.eye(6), atol=1e-8)
    np.testing.assert_allclose(white.rows @ np.ones(6), data.rows @ (np.ones(6) @ back))


def test_the_linear_program_finds_the_direction_of_the_right_order() -> None:
    white, _ = whiten(hidden_slabs(1))
    n_groups = white.n_groups
    assert white.margins(fit_order(white, np.arange(n_groups))[None])[0] > 0


def test_a_wrong_order_has_no_direction() -> None:
    line = GroupedRows.of(np.array([[0.0], [1.0], [2.0]]), np.arange(3))
    direction = fit_order(line, np.array([0, 2, 1]))
    assert direction.shape == (1,)
    assert abs(direction[0]) == pytest.approx(1)


def test_descent_and_orders_improve() -> None:
    white, _ = whiten(hidden_slabs(2))
    starts = unit(np.random.default_rng(0).normal(size=(8, 6)))
    turned = descend(white, starts)
    assert white.margins(turned).max() > white.margins(starts).max()
    np.testing.assert_allclose(np.linalg.norm(turned, axis=1), 1)
    fitted = fit_orders(white, turned)
    assert white.margins(fitted).max() > 0


def test_discriminants_of_two_means() -> None:
    data = GroupedRows.of(np.array([[0.0, 0.0], [0.0, 3.0]]), np.arange(2))
    assert np.abs(discriminants(data)[-1]).tolist() == [0.0, 1.0]
