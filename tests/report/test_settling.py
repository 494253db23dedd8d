from typing import Any

import numpy as np
import pytest
import torch
from scipy import sparse

from diffresnet.report.settling import MapSettings, count_rounds, settle, start_from

RING = sparse.csr_array(
    np.roll(np.eye(40), 1, axis=0) + np.roll(np.eye(40), -1, axis=0) + np.eye(40)
)


def last(weights: sparse.csr_array, start: torch.Tensor, **options: Any) -> torch.Tensor:
    return list(settle(weights, start, **options))[-1]


def test_neighbors_come_nearer_than_others() -> None:
    start = torch.randn(40, 2, generator=torch.Generator().manual_seed(1)) * 10
    places = last(RING, start)
    steps = (places - places.roll(1, 0)).norm(dim=1)
    assert float(steps.mean()) < 0.3 * float(torch.cdist(places, places).mean())


def test_the_seed_decides() -> None:
    start = start_from(torch.eye(40), 0)
    assert torch.equal(last(RING, start, seed=1), last(RING, start, seed=1))
    assert not torch.equal(last(RING, start, seed=1), last(RING, start, seed=2))


def test_the_start_is_not_changed() -> None:
    start = start_from(torch.eye(40), 0)
    kept = start.clone()
    last(RING, start, n_rounds=3)
    assert torch.equal(start, kept)


@pytest.mark.parametrize("n_walked", [1, 3])
def test_points_without_links_stay_finite(n_walked: int) -> None:
    alone = sparse.csr_array((5, 5))
    assert torch.isfinite(last(alone, torch.zeros(5, 2), n_walked=n_walked, n_rounds=20)).all()
    one_link = sparse.csr_array(([1.0, 1.0], ([0, 1], [1, 0])), shape=(4, 4))
    assert torch.isfinite(last(one_link, torch.zeros(4, 2), n_walked=n_walked, n_rounds=20)).all()


def test_partners_are_drawn_by_weight() -> None:
    from diffresnet.report.settling import _Partners  # noqa: PLC0415  # pyright: ignore[reportPrivateUsage]

    weights = np.zeros((3, 3))
    weights[0] = [5.0, 1.0, 3.0]
    partners = _Partners(sparse.csr_array(weights))
    generator = torch.Generator().manual_seed(0)
    drawn = torch.stack([partners.draw(generator) for _ in range(4000)])
    assert (drawn[:, 0] == 2).double().mean() == pytest.approx(0.75, abs=0.03)
    assert set(drawn[:, 0].tolist()) == {1, 2}
    assert (drawn[:, 1] == 1).all()


def test_large_sets_get_fewer_rounds() -> None:
    settings = MapSettings(n_moves=1000, rounds=(2, 10))
    assert [count_rounds(n, settings) for n in (0, 1, 200, 10_000)] == [10, 10, 5, 2]
