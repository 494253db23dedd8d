from collections import deque
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import sparse
from scipy.optimize import minimize

from graph_baselines import RandomWalk, cut_ssl, find_sources, interface_laplace

Floats = npt.NDArray[Any]
PARTLY = np.array([0, -1, -1, 2, -1, -1, -1, 5, -1, -1, -1, -1])
"""Classes need not be numbered without gaps."""

PROPORTIONS = np.array([0.5, 0.25, 0.25])


def ring(n_points: int = 12) -> Floats:
    """Return random weights of a ring with some chords."""
    random = np.random.default_rng(0)
    weights = np.zeros((n_points, n_points))
    for one, other in [*pairwise(range(n_points)), (0, n_points - 1), (1, 4), (6, 9), (2, 10)]:
        weights[one, other] = weights[other, one] = random.uniform(0.5, 2)
    return weights


def slow_potential(weights: Floats, n_steps: int) -> Floats:
    """Add up the powers of the random walk, and remove the means of the columns."""
    walk = weights / weights.sum(axis=1, keepdims=True)
    power, total = np.eye(len(weights)), np.zeros_like(weights)
    for _ in range(n_steps):
        total, power = total + power, power @ walk
    total = total / weights.sum(axis=1)
    return total - total.mean(axis=0)


def distances_to_labels(weights: Floats, partly: Floats) -> list[int]:
    """Walk from the labels, link by link."""
    far = [0 if label >= 0 else -1 for label in partly]
    queue = deque(np.flatnonzero(partly >= 0).tolist())
    while queue:
        one = queue.popleft()
        for other in np.flatnonzero(weights[one]).tolist():
            if far[other] < 0:
                far[other] = far[one] + 1
                queue.append(other)
    return far


@pytest.mark.parametrize("n_steps", [1, 2, 7, 200])
def test_the_potential_is_the_sum_of_powers(n_steps: int) -> None:
    found = RandomWalk(sparse.csr_array(ring())).potential(n_steps)
    np.testing.assert_allclose(found, slow_potential(ring(), n_steps), atol=1e-9)


@pytest.mark.parametrize("n_hops", [0, 1])
def test_sources_are_far_from_labels(n_hops: int) -> None:
    found = find_sources(sparse.csr_array(ring()), PARTLY >= 0, n_hops)
    assert found.tolist() == [far > n_hops for far in distances_to_labels(ring(), PARTLY)]


def test_there_are_as_many_sources_as_labels() -> None:
    found = [find_sources(sparse.csr_array(ring()), PARTLY >= 0, n) for n in (1, 2, 9)]
    assert all(one.sum() >= 3 for one in found)
    np.testing.assert_array_equal(found[1], found[2])


@pytest.mark.parametrize("n_hops", [0, 1])
@pytest.mark.parametrize("training_error", [0.01, 0.3])
def test_interface_laplace_is_ridge_regression(n_hops: int, training_error: float) -> None:
    weights, n_steps = ring(), 50
    found = interface_laplace(
        RandomWalk(sparse.csr_array(weights)),
        PARTLY,
        n_steps=n_steps,
        n_hops=n_hops,
        training_error=training_error,
    )
    labeled = np.flatnonzero(PARTLY >= 0)
    assert np.square(found[labeled] - np.eye(3)).sum() / 3 == pytest.approx(training_error)

    # Search for the ridge by halves, solve for the sources, and let them diffuse.
    sources = np.flatnonzero(np.array(distances_to_labels(weights, PARTLY)) > n_hops)
    rows = slow_potential(weights, n_steps)[np.ix_(labeled, sources)]
    low, high = -30.0, 30.0
    answer = np.zeros((len(weights), 3))
    for _ in range(60):
        ridge = np.exp((low + high) / 2)
        answer[sources] = rows.T @ np.linalg.solve(rows @ rows.T + ridge * np.eye(3), np.eye(3))
        error = np.square(rows @ answer[sources] - np.eye(3)).sum() / 3
        low, high = (np.log(ridge), high) if error < training_error else (low, np.log(ridge))
    degrees = weights.sum(axis=1, keepdims=True)
    scores = np.zeros_like(answer)
    for _ in range(n_steps):
        scores = (answer + weights @ scores) / degrees
        scores = scores - scores.mean(axis=0)
    np.testing.assert_allclose(found, scores, atol=1e-6)


def cut_problem(shift: float) -> tuple[Floats, Floats, Floats]:
    """Return Q, B, and the sizes of the classes without their labels."""
    weights = ring() / ring().sum(axis=1).mean()
    degrees = np.diag(weights.sum(axis=1))
    free, labeled = np.flatnonzero(PARTLY < 0), np.flatnonzero(PARTLY >= 0)
    whole = (1 - shift) * degrees - weights
    block, given = whole[np.ix_(free, free)], -whole[np.ix_(free, labeled)]
    return block, given, len(weights) * PROPORTIONS - 1


def slow_cut(shift: float, n_rounds: int) -> Floats:
    """Alternate directions, with one system for all of X and the multipliers of its sums."""
    block, given, sizes = cut_problem(0.0)
    n_free, n_classes = given.shape
    columns = np.kron(np.ones((1, n_free)), np.eye(n_classes))
    rows = np.kron(np.eye(n_free), np.ones((1, n_classes)))

    def solve(matrix: Floats, right: Floats, sums: Floats, goal: Floats) -> Floats:
        corner = np.zeros((len(sums), len(sums)))
        whole = np.block([[np.kron(matrix, np.eye(n_classes)), sums.T], [sums, corner]])
        # The row sums and the column sums have the same total: one of them is not needed.
        found = np.linalg.lstsq(whole, np.concatenate([right.ravel(), goal]))[0]
        return found[: right.size].reshape(right.shape)

    start = solve(block, given, columns, sizes)
    block, given, sizes = cut_problem(shift)
    strength = max(1.0, -8 * np.linalg.eigvalsh(block)[0])
    kept, price = start.clip(min=0), np.zeros_like(start)
    both, goal = np.vstack([columns, rows]), np.concatenate([sizes, np.ones(n_free)])
    for _ in range(n_rounds):
        matrix = block + strength * np.eye(n_free)
        found = solve(matrix, given + strength * (kept - price), both, goal)
        kept = (found + price).clip(min=0)
        price = price + found - kept
    return kept


@pytest.mark.parametrize("shift", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("n_rounds", [1, 2, 30])
def test_cut_ssl_alternates_directions(shift: float, n_rounds: int) -> None:
    found = cut_ssl(
        sparse.csr_array(ring()),
        PARTLY,
        PROPORTIONS,
        shifts=(0.0, shift),
        n_rounds=(0, n_rounds),
        tolerance=1e-12,
    )
    np.testing.assert_array_equal(found[PARTLY >= 0], np.eye(3))
    expected = slow_cut(shift, n_rounds)
    np.testing.assert_allclose(found[PARTLY < 0], expected, atol=1e-5)


def test_without_a_shift_the_cut_is_the_least() -> None:
    options: Any = {"shifts": (0.0,), "n_rounds": (2000,), "tolerance": 1e-9}
    found = cut_ssl(sparse.csr_array(ring()), PARTLY, PROPORTIONS, **options)[PARTLY < 0]
    block, given, sizes = cut_problem(0.0)
    shape = given.shape

    def energy(flat: Floats) -> float:
        tried = flat.reshape(shape)
        return float((tried * (block @ tried)).sum() / 2 - (tried * given).sum())

    def excess(flat: Floats) -> Floats:
        tried = flat.reshape(shape)
        return np.concatenate([tried.sum(axis=1) - 1, tried.sum(axis=0)[1:] - sizes[1:]])

    start, bounds = np.full(np.prod(shape), 1 / 3), [(0, 1)] * found.size
    sums: Any = {"type": "eq", "fun": excess}
    precise: Any = {"ftol": 1e-14, "maxiter": 500}
    best: Any = minimize(energy, start, bounds=bounds, constraints=sums, options=precise)
    np.testing.assert_allclose(found, best.x.reshape(shape), atol=1e-4)


def test_with_a_shift_the_cut_is_a_partition_of_the_given_sizes() -> None:
    options: Any = {"shifts": (0.0, 1.5), "n_rounds": (100, 3000), "tolerance": 1e-7}
    found = cut_ssl(sparse.csr_array(ring()), PARTLY, PROPORTIONS, **options)
    assert found.min() >= 0
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-4)
    np.testing.assert_allclose(found.sum(axis=0), 12 * PROPORTIONS, atol=1e-4)
    np.testing.assert_allclose(found.max(axis=1), 1, atol=1e-3)
