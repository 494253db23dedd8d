from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from diffresnet.fewshot import TRANSFORMS, apply_transforms
from diffresnet.fewshot.methods import LaplacianShot, NearestPrototype
from tests.fewshot.examples import (
    Floats,
    arrays_of,
    assert_contract,
    digits_episode,
    means_by_loops,
    random_episodes,
    softmax,
)


def assign_by_loops(
    method: LaplacianShot, prototypes: list[Floats], query: Floats
) -> tuple[Floats, int]:
    """Return the assignments (n_query, n_classes), and the number of updates."""
    power = 2 if method.squared else 1
    costs = np.array([[np.linalg.norm(q - p) ** power for p in prototypes] for q in query])
    links = np.zeros((len(query), len(query)))
    for i, q in enumerate(query):
        others = sorted((float(np.linalg.norm(q - o)), j) for j, o in enumerate(query) if j != i)
        for _, j in others[: method.n_neighbors]:
            links[i, j] = 1
    weight = method.label_laplacian_weight
    assigned = np.stack([softmax(-cost) for cost in costs])
    last = np.inf
    for n_updates in range(1, method.max_rounds + 1):
        scores = -costs + weight * links @ assigned
        assigned = np.stack([softmax(row) for row in scores])
        entropy = (assigned * np.log(assigned)).sum()
        energy = entropy + (costs * assigned).sum() - weight * ((links @ assigned) * assigned).sum()
        if n_updates > 1 and abs(energy - last) <= method.tolerance * abs(last):
            return assigned, n_updates
        last = energy
    return assigned, method.max_rounds


@pytest.mark.parametrize("shots", [1, 5])
@pytest.mark.parametrize("task", [0, 1, 2])
def test_equals_the_program_on_digits(
    task: int, shots: int, reference_numbers: Callable[[str], dict[str, NDArray[Any]]]
) -> None:
    digits = reference_numbers("fewshot_digits.npz")
    names = ("center", "l2", "shift", "rectify")
    raw = digits_episode(digits, task, shots)
    episodes = apply_transforms(raw, [TRANSFORMS[name] for name in names])
    expected = digits[f"t{task}_{shots}shot_laplacianshot_y"]
    method = LaplacianShot(0.5)
    found = method.assign(episodes)[0].numpy().T
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)
    np.testing.assert_allclose(method(episodes)[0].numpy(), np.log(expected), rtol=0, atol=1e-4)
    assert episodes.rectified is not None
    prototypes = list(episodes.rectified[0].double().numpy())
    n_updates = assign_by_loops(method, prototypes, episodes.query[0].double().numpy())[1]
    assert n_updates == digits[f"t{task}_{shots}shot_laplacianshot_iterations"]


@pytest.mark.parametrize(
    "method",
    [
        LaplacianShot(),
        LaplacianShot(squared=True),
        LaplacianShot(1.5, 4, tolerance=1e-3),
        LaplacianShot(0.7, 1, max_rounds=1),
        LaplacianShot(0.7, 30, squared=True, max_rounds=2),
        LaplacianShot(0.7, 0),
    ],
)
def test_equals_loops(method: LaplacianShot) -> None:
    episodes = random_episodes(6)
    rounds: set[int] = set()
    for given in (episodes, replace(episodes, rectified=episodes.query[:, 3:6])):
        assigned = method.assign(given)
        torch.testing.assert_close(method(given), assigned.log().mT)
        for which in range(6):
            support, labels, query = arrays_of(given, which)
            prototypes = means_by_loops(support, labels)
            if given.rectified is not None:
                prototypes = list(given.rectified[which].numpy())
            expected, n_updates = assign_by_loops(method, prototypes, query)
            rounds.add(n_updates)
            np.testing.assert_allclose(assigned[which].numpy().T, expected, atol=1e-9)
    if method.tolerance == 1e-3:
        assert len(rounds) > 2  # tasks of a batch that stop at different times


def test_contract() -> None:
    assert_contract(LaplacianShot())
    assert_contract(LaplacianShot(1.0, 3, squared=True, tolerance=1e-3))


def test_without_links_it_is_the_nearest_prototype() -> None:
    episodes = random_episodes()
    expected = NearestPrototype()(episodes)
    scores = LaplacianShot(0.0, squared=True)(episodes)
    torch.testing.assert_close(scores, expected.log_softmax(dim=-1))


def test_one_query_has_no_neighbors() -> None:
    episodes = random_episodes(2, (1, 2), 1)
    assigned = LaplacianShot().assign(episodes)
    torch.testing.assert_close(assigned, LaplacianShot(0.0).assign(episodes))
    torch.testing.assert_close(assigned.sum(dim=1), torch.ones(2, 1, dtype=torch.float64))


def test_surely_wrong_classes_have_finite_scores() -> None:
    episodes = random_episodes(dtype=torch.float32)
    far = replace(episodes, support=1e4 * episodes.support, query=1e4 * episodes.query)
    assert LaplacianShot(squared=True)(far).isfinite().all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: LaplacianShot(-0.1),
            "LaplacianShot: `label_laplacian_weight` must be a finite number of at least 0, "
            "got -0.1. Pass a non-negative `label_laplacian_weight`.",
        ),
        (
            lambda: LaplacianShot(n_neighbors=-1),
            "LaplacianShot: `n_neighbors` must be at least 0, got -1. Raise `n_neighbors`.",
        ),
        (
            lambda: LaplacianShot(max_rounds=0),
            "LaplacianShot: `max_rounds` must be at least 1, got 0. Raise `max_rounds`.",
        ),
        (
            lambda: LaplacianShot(tolerance=-1.0),
            "LaplacianShot: `tolerance` must be a finite number of at least 0, got -1. "
            "Pass a non-negative `tolerance`.",
        ),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        call()
    assert str(error.value) == message
