from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from diffresnet.fewshot.methods import Unem
from tests.fewshot.examples import (
    Floats,
    assert_contract,
    assert_equals_loops,
    means_by_loops,
    random_episodes,
    softmax,
)


def by_loops(method: Unem, support: Floats, labels: list[int], query: Floats) -> Floats:
    prototypes = means_by_loops(support, labels)
    proportions = [1 / len(prototypes)] * len(prototypes)

    def scores() -> Floats:
        rows = [
            [
                (-((q - p) ** 2).sum() / 2 + method.proportion_weight * np.log(m))
                / method.temperature
                for p, m in zip(prototypes, proportions, strict=True)
            ]
            for q in query
        ]
        return np.array(rows)

    for _ in range(method.n_rounds):
        parts = [softmax(row) for row in scores()]
        for c in range(len(prototypes)):
            own = [x for x, label in zip(support, labels, strict=True) if label == c]
            count = sum(part[c] for part in parts)
            total = np.sum(own, axis=0) + sum(p[c] * q for p, q in zip(parts, query, strict=True))
            prototypes[c] = total / (len(own) + count)
            proportions[c] = max(count / len(query), 1e-15)
    return scores()


@pytest.mark.parametrize("method", [Unem(), Unem(2.0, 1.0, 3), Unem(1.0, 0.0), Unem(n_rounds=0)])
@pytest.mark.parametrize("shots", [(2, 1, 3), (1, 1, 1, 1, 1)])
def test_equals_loops(method: Unem, shots: tuple[int, ...]) -> None:
    assert_equals_loops(method, partial(by_loops, method), random_episodes(3, shots))


def test_contract() -> None:
    assert_contract(Unem(1.0, 0.5, 5))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: Unem(0.0),
            "Unem: `temperature` must be a finite positive number, got 0. "
            "Pass a positive `temperature`.",
        ),
        (
            lambda: Unem(proportion_weight=-1.0),
            "Unem: `proportion_weight` must be a finite number of at least 0, got -1. "
            "Pass a non-negative `proportion_weight`.",
        ),
        (
            lambda: Unem(n_rounds=-1),
            "Unem: `n_rounds` must be at least 0, got -1. Raise `n_rounds`.",
        ),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        call()
    assert str(error.value) == message
