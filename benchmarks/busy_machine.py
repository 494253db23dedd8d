"""Is the classifier as fast as on one thread when another process keeps a core busy?

Every load runs in a process of its own, whose `OMP_NUM_THREADS` is unset: torch and BLAS would take
all cores. It runs on one thread and by default (`n_jobs=None`) in turns, with and without a process
beside it that does nothing but count.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from joblib import cpu_count
from sklearn.datasets import make_blobs

from diffresnet import DiffResNetClassifier
from timing import write_results

N_ROUNDS = 7
BUSY = "while True: pass"


def fit(n_points: int, n_labels: int, seed: int, n_jobs: int | None) -> None:
    """Fit some points of five classes in 64 dimensions."""
    points, classes = make_blobs(n_points, 64, centers=5, cluster_std=6.0, random_state=seed)[:2]
    y = np.full(n_points, -1)
    y[:n_labels] = classes[:n_labels]
    DiffResNetClassifier(n_jobs=n_jobs).fit(points, y)


def one_set(n_jobs: int | None) -> None:
    """Fit 600 points, 20 of them labeled."""
    fit(600, 20, 0, n_jobs)


def small_sets(n_jobs: int | None) -> None:
    """Fit 15 sets of 150 points, 20 of them labeled."""
    for seed in range(15):
        fit(150, 20, seed, n_jobs)


def large_set(n_jobs: int | None) -> None:
    """Fit 10,000 points, 50 of them labeled."""
    fit(10_000, 50, 0, n_jobs)


LOADS: dict[str, Callable[[int | None], None]] = {
    "600 points, 20 labels": one_set,
    "15 sets of 150 points, 20 labels": small_sets,
    "10,000 points, 50 labels": large_set,
}


@contextmanager
def busy_process(*, is_busy: bool) -> Generator[None]:
    """Keep one core busy, if that is asked for."""
    if not is_busy:
        yield
        return
    process = subprocess.Popen([sys.executable, "-c", BUSY])  # noqa: S603
    try:
        yield
    finally:
        process.kill()
        process.wait()


def measure(load: str, *, is_busy: bool) -> dict[str, Any]:
    """Time a load on one thread and by default, in turns."""
    seconds: dict[int | None, list[tuple[float, float]]] = {1: [], None: []}
    work = LOADS[load]
    work(None)
    with busy_process(is_busy=is_busy):
        for _ in range(N_ROUNDS):
            for n_jobs, times in seconds.items():
                wall, cpu = time.perf_counter(), time.process_time()
                work(n_jobs)
                times.append((time.perf_counter() - wall, time.process_time() - cpu))
    one, several = (
        [statistics.median(part) for part in zip(*seconds[n], strict=True)] for n in (1, None)
    )
    return {
        "question": load + (", beside a busy process" if is_busy else ""),
        "processors": cpu_count(),
        "threads_of_torch": torch.get_num_threads(),
        "one_thread": {"wall_seconds": one[0], "cpu_seconds": one[1]},
        "default": {"wall_seconds": several[0], "cpu_seconds": several[1]},
        "wall_relative_to_one_thread": several[0] / one[0],
        "cpu_relative_to_one_thread": several[1] / one[1],
    }


def main() -> None:
    """Run each load in a process that may use all cores."""
    if len(sys.argv) == 3:
        print(json.dumps(measure(sys.argv[1], is_busy=sys.argv[2] == "busy")))
        return
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    results: list[dict[str, Any]] = []
    for load in LOADS:
        for state in ("alone", "busy"):
            command = [sys.executable, __file__, load, state]
            done = subprocess.run(  # noqa: S603
                command, env=environment, check=True, capture_output=True, text=True
            )
            results.append(json.loads(done.stdout))
    write_results("busy_machine", "python benchmarks/busy_machine.py", results)


if __name__ == "__main__":
    main()
