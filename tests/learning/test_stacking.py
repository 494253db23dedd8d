from typing import Any

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, minimize

from diffresnet.learning.stacking import stack

EXPECTED = (0.2, 0.3, 0.5)


def problem(n_values: int, seed: int) -> tuple[Any, Any]:
    generator = np.random.default_rng(seed)
    targets = generator.standard_normal(n_values)
    noise = generator.standard_normal((n_values, 3)) * [0.3, 0.5, 2.0]
    return targets[:, None] + noise, targets


@pytest.mark.parametrize("seed", range(5))
def test_weights_minimize_the_loss(seed: int) -> None:
    held_out, targets = problem(30, seed)
    error = np.mean((targets - held_out @ EXPECTED) ** 2)

    def loss(weights: Any) -> float:
        missed = np.sum((targets - held_out @ weights) ** 2) / error
        return missed + 20 * np.sum((weights - EXPECTED) ** 2)

    total = LinearConstraint(np.ones(3), 1, 1)
    slow: Any = minimize(
        loss, EXPECTED, bounds=[(0, 1)] * 3, constraints=total, options={"ftol": 1e-12}
    )
    found = stack(held_out, targets, EXPECTED, 20)
    assert found.sum() == pytest.approx(1)
    assert (found >= 0).all()
    assert np.allclose(found, slow.x, atol=1e-4)


def test_limits() -> None:
    held_out, targets = problem(30, 0)
    assert np.allclose(stack(held_out, targets, EXPECTED, 1e12), EXPECTED, atol=1e-6)
    best = stack(np.c_[targets, held_out[:, 1:]], targets, EXPECTED, 1e-9)
    assert np.allclose(best, [1, 0, 0], atol=1e-6)
    many = problem(3000, 1)
    weights = 1 / np.array([0.3, 0.5, 2.0]) ** 2  # of independent errors
    assert np.allclose(stack(*many, EXPECTED, 20), weights / weights.sum(), atol=0.03)


def test_nothing_to_choose() -> None:
    targets = np.arange(4.0)
    assert stack(targets[:, None], targets, (1.0,), 20).tolist() == [1]
    same = np.stack([targets] * 3, axis=1)
    assert stack(same, targets, EXPECTED, 20).tolist() == list(EXPECTED)
