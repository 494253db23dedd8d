"""Is the neighbor search fast, how much memory does it take, what does the approximate one miss?"""

import multiprocessing
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.neighbors import NearestNeighbors

from diffresnet import nearest_neighbors
from diffresnet.datasets.files import find_data_file
from timing import set_threads, take_turns, write_results

N_NEIGHBORS = 10


def against_scikit_learn(n_threads: int, dtype: torch.dtype) -> dict[str, Any]:
    """Find 10 neighbors of 20,000 x 256 points, each point itself among them in both."""
    points = torch.randn(20_000, 256, generator=torch.Generator().manual_seed(0), dtype=dtype)
    array = points.numpy()
    theirs = NearestNeighbors(n_neighbors=N_NEIGHBORS, algorithm="brute", n_jobs=n_threads)
    theirs.fit(array)
    times = take_turns(
        {
            "diffresnet": lambda: nearest_neighbors(points, N_NEIGHBORS),
            "scikit-learn": partial(theirs.kneighbors, array),
        },
        5,
    )
    same = nearest_neighbors(points, N_NEIGHBORS).indices.numpy() == theirs.kneighbors(array)[1]
    ratio = times["diffresnet"]["median_seconds"] / times["scikit-learn"]["median_seconds"]
    return {
        "question": f"10 neighbors of 20,000 x 256 against scikit-learn's brute force, {dtype}",
        "threads": n_threads,
        "time_relative_to_scikit_learn": ratio,
        "same_neighbors": float(same.mean()),
        "times": times,
    }


def approximate() -> dict[str, Any]:
    """Time the approximate search of 70,000 images of MNIST; 2,000 of them are searched exactly."""
    images = np.load(find_data_file("images/mnist.npz"))
    pixels = np.concatenate([images["x_train"], images["x_test"]]).reshape(70_000, -1)
    points = torch.from_numpy(pixels.astype(np.float32) / 255)
    start = time.perf_counter()
    found = nearest_neighbors(points, N_NEIGHBORS, search="approximate").indices
    seconds = time.perf_counter() - start
    some = torch.randperm(len(points), generator=torch.Generator().manual_seed(0))[:2000]
    start = time.perf_counter()
    exact = torch.cdist(points[some], points).topk(N_NEIGHBORS, largest=False).indices
    of_exact = (time.perf_counter() - start) * len(points) / len(some)
    hits = (found[some].unsqueeze(2) == exact.unsqueeze(1)).any(dim=2)
    return {
        "question": "10 neighbors of 70,000 x 784 images of MNIST, approximate search",
        "threads": torch.get_num_threads(),
        "seconds": seconds,
        "seconds_of_all_distances": of_exact,
        "found": float(hits.double().mean()),
    }


def peak_memory() -> float:
    """Return the megabytes above the input that 50,000 x 256 points take, in this process."""
    points = torch.randn(50_000, 256)
    nearest_neighbors(points[:2000], N_NEIGHBORS)
    before = _memory("VmRSS")
    nearest_neighbors(points, N_NEIGHBORS)
    return _memory("VmHWM") - before


def _memory(name: str) -> float:
    status = Path("/proc/self/status").read_text()
    return int(status.split(f"{name}:")[1].split()[0]) / 1024


def main() -> None:
    """Run everything with one thread and with two."""
    results: list[dict[str, Any]] = []
    for n_threads in (1, 2):
        set_threads(n_threads)
        results.extend(
            against_scikit_learn(n_threads, dtype) for dtype in (torch.float32, torch.float64)
        )
    results.append(approximate())
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        megabytes = pool.apply(peak_memory)
    results.append(
        {"question": "memory above the input, 50,000 x 256, float32", "megabytes": megabytes}
    )
    write_results("neighbors", "python benchmarks/neighbors.py", results)


if __name__ == "__main__":
    main()
