"""How many threads torch, NumPy and SciPy use."""

from collections.abc import Generator
from contextlib import contextmanager

import torch
from joblib import cpu_count
from threadpoolctl import threadpool_limits


@contextmanager
def limited_threads(n_threads: int | None) -> Generator[None]:
    """Let torch, NumPy and SciPy use this number of threads; -1 for all, None for any."""
    before = torch.get_num_threads()
    n_used = max(1, cpu_count()) if n_threads == -1 else n_threads
    if n_used is not None:
        torch.set_num_threads(n_used)
    try:
        with threadpool_limits(n_used):
            yield
    finally:
        torch.set_num_threads(before)
