"""What every benchmark shares: turns taken in one run, medians, and a result file."""

import json
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from threadpoolctl import threadpool_limits

from diffresnet._support.writing import write_whole

RESULTS = Path(__file__).parent.parent / "docs" / "results"


def take_turns(
    calls: dict[str, Callable[[], object]], n_rounds: int
) -> dict[str, dict[str, float]]:
    """Time each call `n_rounds` times after a warm-up, in turns, so that noise meets them all."""
    for call in calls.values():
        call()
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(n_rounds):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            seconds[name].append(time.perf_counter() - start)
    return {name: _summary(values) for name, values in seconds.items()}


def _summary(values: list[float]) -> dict[str, float]:
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return {"median_seconds": median, "lower_quartile": low, "upper_quartile": high}


def set_threads(n_threads: int) -> None:
    """Give torch, and the BLAS of numpy and SciPy, this many threads."""
    torch.set_num_threads(n_threads)
    threadpool_limits(n_threads)


def write_results(name: str, command: str, results: list[dict[str, Any]]) -> None:
    """Print the results and keep them."""
    keep_results(name, command, results)
    for result in results:
        print(json.dumps(result))


def keep_results(name: str, command: str, results: list[dict[str, Any]]) -> None:
    """Write the results, with the command and the machine, to `docs/results`."""
    machine = {"processor": platform.processor() or platform.machine(), "torch": torch.__version__}
    content = {"command": command, "machine": machine, "results": results}
    write_whole(RESULTS / f"{name}.json", (json.dumps(content, indent=2) + "\n").encode())


def kept_results(name: str) -> list[dict[str, Any]]:
    """Return what an earlier run kept under that name."""
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text())["results"] if path.exists() else []
