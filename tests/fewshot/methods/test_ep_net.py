import math
from functools import partial

import numpy as np
import pytest
import torch

from diffresnet.fewshot import Episodes
from diffresnet.fewshot.methods import EpNet
from tests.fewshot.examples import Floats, assert_contract, assert_equals_loops, random_episodes


def propagator_by_loops(points: Floats, alpha: float) -> Floats:
    n_points, n_features = points.shape
    squared = [
        [
            sum((a - b) ** 2 for a, b in zip(x, y, strict=True)) / math.sqrt(n_features)
            for y in points
        ]
        for x in points
    ]
    deviation = np.std([s for row in squared for s in row if s > 0], ddof=1)
    links = np.array(
        [
            [math.exp(-s / deviation) if i != j else 0.0 for j, s in enumerate(row)]
            for i, row in enumerate(squared)
        ]
    )
    sums = [sum(row) + 1e-4 for row in links]
    scaled = [
        [links[i, j] / math.sqrt(sums[i] * sums[j]) for j in range(n_points)]
        for i in range(n_points)
    ]
    inverse: Floats = np.linalg.inv(np.eye(n_points) - alpha * np.array(scaled)).astype(float)
    return inverse


def by_loops(method: EpNet, support: Floats, labels: list[int], query: Floats) -> Floats:
    points = np.concatenate([support, query])
    points = propagator_by_loops(points, method.embedding_alpha) @ points
    spread = propagator_by_loops(points, method.label_alpha)
    spread = np.stack([row / np.abs(row).sum() for row in spread])
    known = np.zeros((len(points), max(labels) + 1))
    for i, label in enumerate(labels):
        known[i, label] = 1
    return np.log(spread @ known + 1e-6)[len(labels) :]


@pytest.mark.parametrize("method", [EpNet(), EpNet(0.0, 0.7), EpNet(0.9, 0.9)])
@pytest.mark.parametrize("shots", [(2, 1, 3), (1,)])
def test_equals_loops(method: EpNet, shots: tuple[int, ...]) -> None:
    assert_equals_loops(method, partial(by_loops, method), random_episodes(3, shots))


def test_contract() -> None:
    assert_contract(EpNet())


def test_the_scale_of_features_hardly_matters() -> None:
    episodes = random_episodes()
    larger = Episodes(100 * episodes.support, 100 * episodes.query, episodes.labels, 3)
    torch.testing.assert_close(EpNet()(larger), EpNet()(episodes))


def test_equal_distances_have_no_deviation() -> None:
    corners = torch.eye(4, dtype=torch.float64).unsqueeze(0)  # all equally far
    episodes = Episodes(corners[:, :2], corners[:, 2:], torch.tensor([[0, 1]]), 2)
    scores = EpNet()(episodes)
    assert scores.isfinite().all()
    torch.testing.assert_close(scores[..., 0], scores[..., 1])


@pytest.mark.parametrize("name", ["embedding_alpha", "label_alpha"])
def test_bad_input(name: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        EpNet(**{name: 1.0})
    assert str(error.value) == f"EpNet: `{name}` must be below 1, got 1. Lower `{name}`."
    with pytest.raises(ValueError, match=f"`{name}` must be a finite number of at least 0, got -1"):
        EpNet(**{name: -1.0})
