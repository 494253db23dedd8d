import math
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
import torch

from diffresnet.fewshot.methods import NearestPrototype, SoftKMeans
from diffresnet.learning import proportions
from diffresnet.learning.prototypes import affinities
from tests.fewshot.examples import (
    Floats,
    assert_contract,
    assert_equals_loops,
    means_by_loops,
    random_episodes,
    softmax,
)
from tests.learning.test_proportions import memberships_by_loops


def by_loops(method: SoftKMeans, support: Floats, labels: list[int], query: Floats) -> Floats:
    prototypes = means_by_loops(support, labels)

    def scores() -> Floats:
        squared = [[((q - p) ** 2).sum() for p in prototypes] for q in query]
        return -method.temperature * np.array(squared)

    def balanced() -> Floats:
        columns = scores().T.tolist()
        return np.array(memberships_by_loops(columns, method.balance))

    for _ in range(method.n_rounds):
        shares = balanced() if method.balance else [softmax(row) for row in scores()]
        for c, old in enumerate(list(prototypes)):
            own = [x for x, label in zip(support, labels, strict=True) if label == c]
            total = sum(own) + sum(r[c] * q for r, q in zip(shares, query, strict=True))
            new = total / (len(own) + sum(r[c] for r in shares))
            prototypes[c] = old + method.rate * (new - old)
    return np.log(balanced()) if method.balance else scores()


@pytest.mark.parametrize(
    "method",
    [SoftKMeans(), SoftKMeans(10.0, 40, 0.2), SoftKMeans(0.1, 5), SoftKMeans(n_rounds=1)],
)
@pytest.mark.parametrize("shots", [(2, 1, 3), (1,), (1, 1, 1, 1, 1)])
def test_equals_loops(method: SoftKMeans, shots: tuple[int, ...]) -> None:
    assert_equals_loops(method, partial(by_loops, method), random_episodes(3, shots))


@pytest.mark.parametrize("balance", [-1.0, -0.5, 1.0, math.inf])
def test_proportions_equal_loops(balance: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proportions, "TRANSPORT_TOLERANCE", 1e-12)
    monkeypatch.setattr(proportions, "ESTIMATION_ROUNDS", 3000)
    method = SoftKMeans(0.2, 3, 0.5, balance)
    episodes = random_episodes(2)
    assert_equals_loops(method, partial(by_loops, method), episodes, tolerance=1e-7)


def test_contract() -> None:
    assert_contract(SoftKMeans())
    assert_contract(SoftKMeans(10.0, 40, 0.2))
    assert_contract(SoftKMeans(3.0, 5, 0.2, -1.0))
    assert_contract(SoftKMeans(3.0, 5, 0.2, 2.0))


def test_without_rounds_it_is_the_nearest_prototype() -> None:
    episodes = random_episodes()
    expected = 5 * NearestPrototype()(episodes)
    torch.testing.assert_close(SoftKMeans(n_rounds=0)(episodes), expected)


def test_mixtures_are_the_prototypes() -> None:
    episodes, method = random_episodes(), SoftKMeans(2.0, 3, 0.7)
    points = episodes.points
    mixtures = method.mixtures(episodes, points @ points.mT)
    torch.testing.assert_close(mixtures.sum(dim=-1), torch.ones(3, 3, dtype=torch.float64))
    expected = 2 * affinities(episodes.query, mixtures @ points).mT
    torch.testing.assert_close(method(episodes), expected)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: SoftKMeans(0.0),
            "SoftKMeans: `temperature` must be a finite positive number, got 0. "
            "Pass a positive `temperature`.",
        ),
        (
            lambda: SoftKMeans(n_rounds=-1),
            "SoftKMeans: `n_rounds` must be at least 0, got -1. Raise `n_rounds`.",
        ),
        (
            lambda: SoftKMeans(rate=0.0),
            "SoftKMeans: `rate` must be a finite positive number, got 0. Pass a positive `rate`.",
        ),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        call()
    assert str(error.value) == message
