import math
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from diffresnet.fewshot.methods import ProtoLp, PtMap
from diffresnet.learning import proportions
from tests.fewshot.examples import (
    Floats,
    assert_contract,
    assert_equals_loops,
    means_by_loops,
    random_episodes,
)
from tests.learning.test_proportions import memberships_by_loops


def by_loops(method: ProtoLp, support: Floats, labels: list[int], query: Floats) -> Floats:
    prototypes = means_by_loops(support, labels)
    n_classes = len(prototypes)
    known = np.eye(n_classes)[labels]

    def transport() -> Floats:
        scores = [[-method.sharpness * ((q - p) ** 2).sum() for q in query] for p in prototypes]
        return np.array(memberships_by_loops(scores, method.balance))

    def propagate(own: Floats) -> Floats:
        both = np.concatenate([known, own])
        links = np.zeros((n_classes, n_classes))
        for a in range(n_classes):
            for b in range(n_classes):
                links[a, b] = sum(row[a] * row[b] for row in both) / sum(row[b] for row in both)
        matrix = known.T @ known + method.graph_weight * (np.eye(n_classes) - links)
        found = own @ np.linalg.inv(matrix) @ (known.T @ known)
        logs = np.log(np.maximum(found, 1e-6))
        return np.array(memberships_by_loops(logs.T.tolist(), method.balance))

    for _ in range(method.n_rounds):
        own = transport()
        parts = (1 - method.propagated) * own + method.propagated * propagate(own)
        for c, old in enumerate(list(prototypes)):
            mine = [x for x, label in zip(support, labels, strict=True) if label == c]
            total = sum(mine) + sum(part[c] * q for part, q in zip(parts, query, strict=True))
            prototypes[c] = old + method.rate * (total / (len(mine) + parts[:, c].sum()) - old)
    return np.log(transport())


@pytest.mark.parametrize(
    "method",
    [ProtoLp(0.1, 0.5, 3, balance=1.0), ProtoLp(0.1, n_rounds=2), ProtoLp(0.2, n_rounds=0)],
)
def test_equals_loops(method: ProtoLp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proportions, "TRANSPORT_TOLERANCE", 1e-12)
    episodes = random_episodes(2)
    assert_equals_loops(method, partial(by_loops, method), episodes, tolerance=1e-7)


def test_contract() -> None:
    assert_contract(ProtoLp(0.3, 0.3, 5), tolerance=1e-6)


def test_without_propagation_it_is_pt_map(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proportions, "TRANSPORT_TOLERANCE", 1e-12)
    episodes = random_episodes(noise=0.3)
    expected = PtMap(0.5)(episodes)
    found = ProtoLp(0.5, propagated=0.0)(episodes)
    assert (found - expected).abs().max() < 1e-7
    assert ProtoLp().balance == math.inf


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: ProtoLp(graph_weight=-1.0),
            "ProtoLp: `graph_weight` must be a finite number of at least 0, got -1. "
            "Pass a non-negative `graph_weight`.",
        ),
        (
            lambda: ProtoLp(rate=0.0),
            "ProtoLp: `rate` must be a finite positive number, got 0. Pass a positive `rate`.",
        ),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        call()
    assert str(error.value) == message
