"""How many threads work: one for each operation, several for blocks that do not wait for others.

The threads of torch and of BLAS meet after every operation, and while they wait, they spin. Beside
another busy process, one of them always waits for a core: thousands of small operations then take a
hundred times as long. So operations have one thread each, and only large blocks of work, which
need not meet, are shared. Results do not depend on how many share them.
"""

import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from threading import Lock
from typing import Any, TypeVar

import torch
from joblib import cpu_count
from threadpoolctl import ThreadpoolController

Block = TypeVar("Block")
Result = TypeVar("Result")

_N_SHARING: ContextVar[int] = ContextVar("n_sharing", default=1)


def _libraries() -> ThreadpoolController:
    """Return the libraries with threads of their own, which are looked for after an import only."""
    return _find_libraries(len(sys.modules))


@lru_cache(maxsize=1)
def _find_libraries(n_modules: int) -> ThreadpoolController:
    del n_modules
    return ThreadpoolController()


class _OneThread:
    """One thread for torch and BLAS, as long as anyone in the process asks for it.

    Part of these numbers belongs to the whole process, not to a thread of it: the first one who
    comes keeps them, the last one who leaves gives them back. OpenMP's is each thread's own.
    """

    def __init__(self) -> None:
        self.lock, self.n_users, self.before = Lock(), 0, 1
        self.limited: Any = None

    def __enter__(self) -> None:
        with self.lock:
            if self.n_users == 0:
                self.before = torch.get_num_threads()
                self.limited = _libraries().limit(limits=1, user_api="blas")
            self.n_users += 1

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.n_users -= 1
            if self.n_users == 0:
                self.limited.restore_original_limits()
                torch.set_num_threads(self.before)


_ONE_THREAD = _OneThread()


@contextmanager
def limited_threads(n_jobs: int | None) -> Generator[None]:
    """Give torch, NumPy and SciPy one thread for each operation, and `share` some.

    Args:
        n_jobs: threads among which `share` divides blocks; -1 for as many as there are processors,
            None for as many of these as torch would use.
    """
    if n_jobs is None:
        n_jobs = min(torch.get_num_threads(), cpu_count())
    token = _N_SHARING.set(cpu_count() if n_jobs == -1 else n_jobs)
    try:
        with _ONE_THREAD, _libraries().limit(limits=1, user_api="openmp"):
            torch.set_num_threads(1)
            yield
    finally:
        _N_SHARING.reset(token)


def share(work: Callable[[Block], Result], blocks: Iterable[Block]) -> list[Result]:
    """Return what the work makes of each block, among as many threads as `limited_threads` says.

    Args:
        work: leaves alone what the work on other blocks reads or writes. It is worth a thread from
            some milliseconds on.
        blocks: that it is done for.

    Examples:
        >>> with limited_threads(2):
        ...     share(abs, [-1, 2, -3])
        [1, 2, 3]
    """
    several = list(blocks)
    n_threads = min(_N_SHARING.get(), len(several))
    if n_threads < 2:
        return [work(block) for block in several]
    with ThreadPoolExecutor(n_threads) as pool:
        started = [pool.submit(work, block) for block in several]
        try:
            return [one.result() for one in started]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def n_sharing() -> int:
    """Return among how many threads `share` divides blocks."""
    return _N_SHARING.get()


def share_in_turn(
    work: Callable[[Block], Result], blocks: Iterable[Block]
) -> Generator[Result, None, None]:
    """Yield the same, in order and as it is made: no more than a few results wait in memory.

    Examples:
        >>> with limited_threads(2):
        ...     sum(share_in_turn(abs, [-1, 2, -3]))
        6
    """
    n_threads = _N_SHARING.get()
    if n_threads < 2:
        yield from map(work, blocks)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        started = deque[Future[Result]]()
        for block in blocks:
            started.append(pool.submit(work, block))
            if len(started) > n_threads:
                yield started.popleft().result()
        while started:
            yield started.popleft().result()
