import threading

import pytest
import torch
from threadpoolctl import threadpool_info

from diffresnet._support.threads import limited_threads, share, share_in_turn


def thread_counts() -> set[int]:
    return {pool["num_threads"] for pool in threadpool_info()} | {torch.get_num_threads()}


@pytest.mark.parametrize("n_jobs", [None, -1, 1, 2])
def test_an_operation_has_one_thread_and_threads_are_given_back(n_jobs: int | None) -> None:
    before, pools = torch.get_num_threads(), threadpool_info()
    with limited_threads(n_jobs):
        assert thread_counts() == {1}
    assert torch.get_num_threads() == before
    assert threadpool_info() == pools


def test_threads_are_given_back_after_an_interrupt() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with pytest.raises(KeyboardInterrupt), limited_threads(1):
            raise KeyboardInterrupt
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_blocks_are_shared_among_as_many_threads_as_asked_for() -> None:
    both = threading.Barrier(2, timeout=20)  # breaks, and raises, if one thread comes alone

    def meet(block: int) -> tuple[int, int]:
        both.wait()
        return block, torch.get_num_threads()

    with limited_threads(2):
        assert share(meet, range(4)) == [(0, 1), (1, 1), (2, 1), (3, 1)]


@pytest.mark.parametrize("n_jobs", [None, 1])
def test_one_thread_is_the_callers_own(n_jobs: int | None) -> None:
    assert share(lambda _: threading.get_ident(), range(3)) == [threading.get_ident()] * 3
    with limited_threads(1), limited_threads(n_jobs):  # none asked for: no more than torch has
        assert share(lambda _: threading.get_ident(), range(3)) == [threading.get_ident()] * 3


def test_an_error_in_a_thread_is_the_callers() -> None:
    def fail(block: int) -> int:
        raise ValueError(f"block {block}")

    with limited_threads(2), pytest.raises(ValueError, match="block"):
        share(fail, range(8))


def test_threads_are_given_back_by_the_last_of_several_at_once() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    inside, leave = threading.Event(), threading.Event()
    counts: dict[str, int] = {}

    def work() -> None:
        with limited_threads(1):
            inside.set()
            assert leave.wait(20)
            counts["at work"] = torch.get_num_threads()

    def look() -> None:
        counts["in a new thread"] = torch.get_num_threads()

    worker, fresh = threading.Thread(target=work), threading.Thread(target=look)
    try:
        with limited_threads(1):
            worker.start()
            assert inside.wait(20)
        counts["after the first"] = torch.get_num_threads()
        leave.set()
        worker.join(20)
        fresh.start()
        fresh.join(20)
        assert counts == {"after the first": 2, "at work": 1, "in a new thread": 2}
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_results_come_in_turn_and_few_wait(n_jobs: int) -> None:
    begun: list[int] = []

    def work(block: int) -> int:
        begun.append(block)
        return -block

    with limited_threads(n_jobs):
        for place, result in enumerate(share_in_turn(work, range(50))):
            assert result == -place
            assert len(begun) <= place + 2 + n_jobs
    assert sorted(begun) == list(range(50))


def test_what_fails_in_turn_is_raised() -> None:
    with limited_threads(2), pytest.raises(ZeroDivisionError):
        list(share_in_turn(lambda block: 1 // block, [1, 0, 1]))
