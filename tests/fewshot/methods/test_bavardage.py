from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from scipy.special import digamma

from diffresnet.fewshot.methods import Bavardage, SoftKMeans
from tests.fewshot.examples import (
    Floats,
    assert_contract,
    assert_equals_loops,
    random_episodes,
    softmax,
)
from tests.fewshot.methods.test_soft_kmeans import by_loops as kmeans_by_loops


def by_loops(method: Bavardage, support: Floats, labels: list[int], query: Floats) -> Floats:
    n_classes = max(labels) + 1
    points = np.concatenate([support, query])
    scores = kmeans_by_loops(SoftKMeans(10.0, 5), support, labels, query)
    for _ in range(method.n_rounds):
        own = np.array([softmax(row) for row in scores])
        parts = np.concatenate([np.eye(n_classes)[labels], own])
        counts = [method.mean_prior + sum(part[c] for part in parts) for c in range(n_classes)]
        means = [
            sum(part[c] * x for part, x in zip(parts, points, strict=True)) / counts[c]
            for c in range(n_classes)
        ]
        span = np.stack([mean - means[0] for mean in means[1:]], axis=1)
        onto = span @ np.linalg.pinv(span)  # the orthogonal projection
        priors = [method.dirichlet + sum(part[c] for part in own) for c in range(n_classes)]
        rows = [
            [
                -method.sharpness / 2 * ((onto @ (q - means[c])) ** 2).sum()
                - (n_classes - 1) / (2 * counts[c])
                + digamma(priors[c])
                - digamma(sum(priors))
                for c in range(n_classes)
            ]
            for q in query
        ]
        scores = np.array(rows)
    return scores


@pytest.mark.parametrize(
    "method", [Bavardage(), Bavardage(2.0, 3, 1.0, 5.0), Bavardage(n_rounds=0)]
)
@pytest.mark.parametrize("shots", [(2, 1, 3), (1, 1, 1, 1, 1)])
def test_equals_loops(method: Bavardage, shots: tuple[int, ...]) -> None:
    episodes = random_episodes(3, shots)
    assert_equals_loops(method, partial(by_loops, method), episodes, tolerance=1e-7)


def test_contract() -> None:
    assert_contract(Bavardage(2.0), tolerance=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: Bavardage(0.0),
            "Bavardage: `sharpness` must be a finite positive number, got 0. "
            "Pass a positive `sharpness`.",
        ),
        (
            lambda: Bavardage(dirichlet=-1.0),
            "Bavardage: `dirichlet` must be a finite positive number, got -1. "
            "Pass a positive `dirichlet`.",
        ),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        call()
    assert str(error.value) == message
