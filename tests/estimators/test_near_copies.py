from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from diffresnet.estimators import near_copies
from diffresnet.estimators.near_copies import ROUNDING, SPACED, are_dense, find_leaders


def sphere(n_points: int, n_features: int, seed: int = 0) -> Any:
    points = np.random.default_rng(seed).standard_normal((n_points, n_features))
    return (points / np.linalg.norm(points, axis=1, keepdims=True)).astype(np.float32)


def test_a_leader_is_near_comes_before_and_leads_itself() -> None:
    points = sphere(400, 20)
    noise = 0.2 * ROUNDING * sphere(400, 20, seed=1)
    both = np.concatenate([points, points + noise, -points + noise])
    lengths = np.ones(len(both))
    leaders = find_leaders(both, lengths)
    assert np.array_equal(leaders[leaders], leaders)
    assert bool((leaders <= np.arange(len(both))).all())
    assert float(np.linalg.norm(both - both[leaders], axis=1).max()) <= ROUNDING
    # The grids find nearly all; opposite points are no copies.
    assert float((leaders[400:800] == np.arange(400)).mean()) > 0.9
    assert np.array_equal(leaders[800:], np.arange(800, 1200))


def test_points_of_other_lengths_are_no_copies() -> None:
    points = np.repeat(sphere(50, 8), 2, axis=0)
    lengths = np.tile([1.0, 1.1], 50)
    assert np.array_equal(find_leaders(points, lengths), np.arange(100))
    assert np.array_equal(find_leaders(points, np.ones(100)), np.arange(100) // 2 * 2)


@pytest.mark.parametrize("block", [7, 2**14])
@pytest.mark.parametrize("spacing", [0.8, 1.25])
def test_dense_is_what_all_distances_say(
    block: int, spacing: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(near_copies, "BLOCK", block)
    angles = spacing * SPACED * ROUNDING * np.arange(90)
    points = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    rows = np.arange(0, 90, 1)
    gaps = np.sort(cdist(points, points), axis=1)[:, 1]
    assert are_dense(points, rows) == (float(np.median(gaps)) < SPACED * ROUNDING)
    assert are_dense(points, rows) == (spacing < 1)
    assert not are_dense(points, rows[::2])
    assert not are_dense(points, rows[:1])
