import pickle
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
import torch

from diffresnet._support.threads import limited_threads
from diffresnet.estimators.parts import kept_columns
from diffresnet.estimators.parts.kept_columns import CHUNK, KeptColumns

HALF = torch.randn(50, 50, generator=torch.Generator().manual_seed(0))
KERNEL = HALF + HALF.mT


class Counting:
    """Makes columns of the kernel, and counts them."""

    def __init__(self) -> None:
        self.n_made = 0

    def __call__(self, rows: torch.Tensor) -> torch.Tensor:
        self.n_made += len(rows)
        return KERNEL[rows]


def test_each_column_is_made_once_whichever_labels_come_and_go() -> None:
    make = Counting()
    columns = KeptColumns(50, make)
    generator = torch.Generator().manual_seed(1)
    for n_rows in (3, CHUNK + 5, 40, 10):
        rows = torch.randperm(50, generator=generator)[:n_rows]
        coefficients = torch.randn(n_rows, 4, generator=generator)
        held = columns.hold(rows)
        assert held is not None
        expected = KERNEL[:, rows] @ coefficients
        for n_jobs in (1, 2):
            with limited_threads(n_jobs):
                found = held.sum_up(coefficients)
            assert torch.allclose(found, expected, atol=1e-5)
        some = torch.tensor([7, 3, 49])
        assert torch.allclose(held.sum_up(coefficients, some), expected[some], atol=1e-5)
        part = held.sum_up(coefficients, slice(5, 20))
        assert torch.allclose(part, expected[5:20], atol=1e-5)
        assert torch.equal(held.entries(rows), KERNEL[rows][:, rows])
        assert torch.equal(held.columns(), KERNEL[rows])
    assert make.n_made == len(columns.places) <= 50


def test_labels_that_are_gone_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_columns, "LARGEST_KEPT", 50 * 4)
    columns = KeptColumns(50, Counting())
    first = columns.hold(torch.arange(4))
    assert columns.hold(torch.arange(3, 6)) is not None
    assert set(columns.places) == {3, 4, 5}
    assert columns.hold(torch.arange(5)) is None
    assert torch.equal(columns.columns(torch.arange(5)), KERNEL[:5])
    assert first is not None
    assert torch.equal(first.columns(), KERNEL[:4])  # whoever has them, keeps them
    is_held, held = columns.held(torch.arange(2, 5))
    assert is_held.tolist() == [False, True, True]
    assert torch.equal(held.columns(), KERNEL[3:5])


def test_columns_are_left_behind_by_pickle() -> None:
    columns = KeptColumns(50, Counting())
    columns.hold(torch.arange(10))
    read = pickle.loads(pickle.dumps(columns))  # noqa: S301  (our own)
    assert read.places == {}
    assert torch.equal(read.columns(torch.arange(10)), KERNEL[:10])


def test_threads_ask_at_the_same_time() -> None:
    def make(rows: torch.Tensor) -> torch.Tensor:
        time.sleep(0.002)
        return KERNEL[rows]

    rows, weights = torch.arange(50), torch.ones(50, 1)
    for _ in range(3):
        columns = KeptColumns(50, make)

        def ask(columns: KeptColumns = columns) -> torch.Tensor:
            held = columns.hold(rows)
            assert held is not None
            return held.sum_up(weights)

        with ThreadPoolExecutor(4) as pool:
            found = [pool.submit(ask) for _ in range(4)]
        for one in found:
            assert torch.allclose(one.result(), KERNEL.sum(dim=1, keepdim=True), atol=1e-4)
        assert sorted(columns.places.values()) == list(range(50))


def test_columns_stay_while_other_threads_make_and_remove_some(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kept_columns, "LARGEST_KEPT", 50 * 20)
    columns, mine, done = KeptColumns(50, Counting()), torch.arange(5), Event()

    def make_others() -> None:
        generator = torch.Generator().manual_seed(0)
        for _ in range(300):
            columns.hold(5 + torch.randperm(45, generator=generator)[:7])
            columns.hold(mine)
        done.set()

    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(make_others)
        while not done.is_set() and not other.done():
            is_held, held = columns.held(mine)
            if not bool(is_held.any()):
                continue
            found = held.sum_up(torch.ones(int(is_held.sum()), 1))
            expected = KERNEL[mine[is_held]].sum(dim=0).unsqueeze(1)
            assert torch.allclose(found, expected, atol=1e-4)
        other.result()
