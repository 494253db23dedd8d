from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from diffresnet.cluster.graph_rows import GraphRows, Layout
from diffresnet.cluster.work import Work
from tests.cluster.examples import blocks_of, random_graph

N = 40
WEIGHTS = random_graph(N, 2)
DENSE = WEIGHTS.toarray().astype(np.float64)
BOUNDS = (0, 14, 14, 27, N)


@pytest.fixture
def rows(tmp_path: Path) -> list[GraphRows]:
    """The rows of four blocks, the second without a point, that know what others need."""
    blocks_of(tmp_path, WEIGHTS, BOUNDS)
    layout = Layout(BOUNDS, (0, 1, 2, 3, 4))
    found = [GraphRows(Work(tmp_path), layout, one) for one in range(4)]
    wishes = [one.ask()[1] for one in found]
    for number, one in enumerate(found):
        assert one.hear(*(wish[number] for wish in wishes)) == len(one.halo)
    return found


def fill(rows: list[GraphRows], x: Any) -> list[torch.Tensor]:
    """Give each block its rows of x, and those of its halo by parcels."""
    held = [one.empty(x.shape[1]) for one in rows]
    for one, own in zip(rows, held, strict=True):
        own[: one.n_own] = torch.from_numpy(x[one.low : one.high])
    sent = [one.send(own) for one, own in zip(rows, held, strict=True)]
    for number, (one, own) in enumerate(zip(rows, held, strict=True)):
        one.receive(own, [parcels[number] for parcels in sent])
    return held


def test_the_halo_is_what_own_rows_are_linked_to(rows: list[GraphRows]) -> None:
    for one in rows:
        linked = {
            column
            for row in range(one.low, one.high)
            for column in range(N)
            if DENSE[row, column] and not one.low <= column < one.high
        }
        assert one.halo.tolist() == sorted(linked)
        for slot, (low, high) in zip(one.slots, pairwise(BOUNDS), strict=True):
            assert one.halo[slot].tolist() == [
                point for point in sorted(linked) if low <= point < high
            ]


def test_parcels_fill_the_halo(rows: list[GraphRows]) -> None:
    x = np.random.default_rng(0).standard_normal((N, 3)).astype(np.float32)
    for one, held in zip(rows, fill(rows, x), strict=True):
        np.testing.assert_array_equal(held[one.n_own :], x[one.halo])


def test_balance_is_that_of_the_loop(rows: list[GraphRows]) -> None:
    """s <- (s / W s)^1/2, from s = d^-1/2, with whole matrices beside it."""
    sums = DENSE.sum(axis=1)
    linked = sums > 0
    factors = before = np.where(linked, np.where(linked, sums, 1) ** -0.5, 0)
    sent = [one.begin_balance()[1] for one in rows]
    for _ in range(4):
        products = DENSE @ factors
        errors = np.where(linked, np.abs(factors * products - 1), 0)
        before = factors
        factors = np.where(linked, np.sqrt(factors / np.where(linked, products, 1)), 0)
        boxes = [[parcels[number] for parcels in sent] for number in range(4)]
        found = [one.step_balance(*box) for one, box in zip(rows, boxes, strict=True)]
        sent = [parcels for _, parcels in found]
        assert max(float(str(value)) for value, _ in found) == pytest.approx(errors.max(), rel=1e-3)
        for one in rows:
            own = slice(one.low, one.high)
            np.testing.assert_allclose(one.factors[: one.n_own, 0], factors[own], rtol=1e-5)
    for one in rows:
        one.end_balance()
        stored = one.work.load(f"factors/{one.number}.npy")[: one.n_own]
        np.testing.assert_allclose(stored, before[one.low : one.high], rtol=1e-5)


def test_the_laplacian_is_that_of_loops(rows: list[GraphRows]) -> None:
    factors = np.random.default_rng(1).random(N)
    scaled = DENSE * factors[:, None] * factors
    np.fill_diagonal(scaled, 0)
    truth = np.diag(scaled.sum(axis=1)) - scaled
    for one in np.flatnonzero(DENSE.diagonal() == 0):  # without the place, nothing is stored there
        assert not truth[one].any()
    x = np.random.default_rng(0).standard_normal((N, 3)).astype(np.float32)
    held = fill(rows, x)
    for one, own in zip(rows, held, strict=True):
        places = np.concatenate([np.arange(one.low, one.high), one.halo])
        one.work.save(f"factors/{one.number}.npy", factors[places].astype(np.float32))
        largest, total = one.make_laplacian()
        mine = truth[one.low : one.high]
        degrees = [mine[row, one.low + row] for row in range(one.n_own)]
        assert largest == pytest.approx(max(degrees, default=0), rel=1e-5)
        assert total == pytest.approx(sum(degrees), rel=1e-5)
        np.testing.assert_allclose(one.times(own), mine @ x, atol=1e-4)


def test_components_of_blocks_are_paired_by_their_links(rows: list[GraphRows]) -> None:
    sent = [one.find_components()[1] for one in rows]
    component = np.concatenate([one.component for one in rows])
    for number, one in enumerate(rows):
        found = one.pair_components(*(parcels[number] for parcels in sent))
        truth = {
            (int(component[row]), int(component[column]))
            for row in range(one.low, one.high)
            for column in range(N)
            if DENSE[row, column] and not one.low <= column < one.high
        }
        assert {tuple(pair) for pair in found.tolist()} == truth
        one.name_components({int(component[one.low]): -7} if one.n_own else {})
        named = one.work.load(f"components/{number}.npy")
        own = component[one.low : one.high]
        expected = [-7 if name == own[0] else name for name in own.tolist()]
        assert named.tolist() == expected
