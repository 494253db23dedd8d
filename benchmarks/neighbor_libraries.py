"""Which library finds the neighbors of very many points best, and is our own search good enough?

Every contestant runs in a process of its own. Recall is the part of the 10 nearest of 1,000 points,
themselves not counted, that was found; as near as the tenth is as good. Time to compile is told
apart. What has run before is not run again. The libraries are not in the extras of the package:
`pip install -c constraints.txt pynndescent faiss-cpu usearch`.
"""

import argparse
import importlib
import json
import math
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from diffresnet import nearest_neighbors
from diffresnet._support.threads import limited_threads
from timing import keep_results, kept_results, set_threads

NAME = "neighbor_libraries"
N_NEIGHBORS, N_EXACT = 11, 1000
Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]


def by_cells(points: Floats, n_threads: int) -> Indices:
    """Search as `search="approximate"` does without other libraries."""
    with limited_threads(n_threads):
        found = nearest_neighbors(points, N_NEIGHBORS, search="approximate")
    return found.indices.numpy()


def by_pynndescent(points: Floats, n_threads: int, n_neighbors: int = 15) -> Indices:
    """Descend to neighbors of neighbors, from random trees."""
    library: Any = importlib.import_module("pynndescent")
    index = library.NNDescent(
        points, n_neighbors=n_neighbors, n_jobs=n_threads, random_state=0, low_memory=True
    )
    return index.neighbor_graph[0][:, :N_NEIGHBORS].astype(np.int64)


def by_faiss_cells(points: Floats, n_threads: int, n_probes: int = 32) -> Indices:
    """Search in cells of k-means, those nearest to each point."""
    faiss: Any = importlib.import_module("faiss")
    faiss.omp_set_num_threads(n_threads)
    n_cells = 4 * math.isqrt(len(points))
    index = faiss.index_factory(points.shape[1], f"IVF{n_cells},Flat")
    index.cp.max_points_per_centroid = 64
    index.train(points)
    index.add(points)
    index.nprobe = n_probes
    return index.search(points, N_NEIGHBORS)[1]


def by_faiss_graph(points: Floats, n_threads: int) -> Indices:
    """Walk a hierarchical graph (HNSW)."""
    faiss: Any = importlib.import_module("faiss")
    faiss.omp_set_num_threads(n_threads)
    index = faiss.IndexHNSWFlat(points.shape[1], 16)
    index.hnsw.efConstruction, index.hnsw.efSearch = 60, 32
    index.add(points)
    return index.search(points, N_NEIGHBORS)[1]


def by_usearch(points: Floats, n_threads: int) -> Indices:
    """Walk a hierarchical graph (HNSW)."""
    library: Any = importlib.import_module("usearch.index")
    index = library.Index(
        ndim=points.shape[1], metric="l2sq", connectivity=16, expansion_add=60, expansion_search=32
    )
    index.add(np.arange(len(points)), points, threads=n_threads)
    return index.search(points, N_NEIGHBORS, threads=n_threads).keys.astype(np.int64)


CONTESTANTS: dict[str, Callable[[Floats, int], Indices]] = {
    "cells": by_cells,
    "pynndescent 11": partial(by_pynndescent, n_neighbors=11),
    "pynndescent 15": by_pynndescent,
    "faiss IVF": by_faiss_cells,
    "faiss HNSW": by_faiss_graph,
    "usearch HNSW": by_usearch,
}


def exact_reach(points: Floats, rows: Indices) -> npt.NDArray[np.float64]:
    """Return the distance of the tenth of the other points, for some rows."""
    everything = torch.from_numpy(points)
    reach: list[torch.Tensor] = []
    for some in torch.from_numpy(rows).split(50):
        own = everything[some].double()
        apart = torch.cat([torch.cdist(own, part.double()) for part in everything.split(50_000)], 1)
        apart[torch.arange(len(some)), some] = torch.inf
        reach.append(apart.topk(N_NEIGHBORS - 1, largest=False).values[:, -1])
    return torch.cat(reach).numpy()


def measure_recall(points: Floats, found: Indices) -> float:
    """Return which part of the nearest others of 1,000 points was found."""
    rows = np.random.default_rng(0).permutation(len(points))[:N_EXACT]
    near = points[found[rows]].astype(np.float64)
    distances = np.linalg.norm(near - points[rows][:, None].astype(np.float64), axis=2)
    is_other = (found[rows] != rows[:, None]) & (found[rows] >= 0)
    # The product formula of `cdist` errs by less than that.
    hits = is_other & (distances <= exact_reach(points, rows)[:, None] * (1 + 1e-6) + 1e-7)
    return float(hits.sum(axis=1).clip(max=N_NEIGHBORS - 1).mean() / (N_NEIGHBORS - 1))


def run_one(path: Path, n_points: int, contestant: str, n_threads: int) -> dict[str, Any]:
    """Search, in this process, and say what it took."""
    set_threads(1)
    points = np.array(np.load(path, mmap_mode="r")[:n_points])
    search, compiling = CONTESTANTS[contestant], 0.0
    if "pynndescent" in contestant:
        start = time.perf_counter()
        search(points[:20_000], n_threads)
        compiling = time.perf_counter() - start
    before, start, cpu = _memory("VmRSS"), time.perf_counter(), time.process_time()
    found = search(points, n_threads)
    return {
        "seconds": time.perf_counter() - start,
        "processor_seconds": time.process_time() - cpu,
        "seconds_of_first_20000": compiling,
        "megabytes": _memory("VmHWM") - before,
        "recall": measure_recall(points, found),
    }


def _memory(name: str) -> float:
    status = Path("/proc/self/status").read_text()
    return int(status.split(f"{name}:")[1].split()[0]) / 1024


def main() -> None:
    """Run what is asked for, one process after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("unfinished/scale"))
    parser.add_argument("--sets", default="digits,ball,sentences")
    parser.add_argument("--points", type=int, default=300_000)
    parser.add_argument("--contestants", default=",".join(CONTESTANTS))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--child", action="store_true")
    given = parser.parse_args()
    sets, contestants = given.sets.split(","), given.contestants.split(",")
    if given.child:
        path = given.folder / f"{sets[0]}.npy"
        print(json.dumps(run_one(path, given.points, contestants[0], given.threads)))
        return
    for name in sets:
        size = min(given.points, len(np.load(given.folder / f"{name}.npy", mmap_mode="r")))
        for contestant in contestants:
            what = {
                "set": name, "points": size, "contestant": contestant, "threads": given.threads
            }  # fmt: skip
            if any(what.items() <= kept.items() for kept in kept_results(NAME)):
                continue
            options = ["--sets", name, "--points", str(size), "--contestants", contestant]
            options += ["--threads", str(given.threads), "--folder", str(given.folder), "--child"]
            ran = subprocess.run(  # noqa: S603  (of our own arguments)
                [sys.executable, __file__, *options], check=True, capture_output=True
            )
            result = what | json.loads(ran.stdout)
            print(json.dumps(result), flush=True)
            keep_results(
                NAME, "python benchmarks/neighbor_libraries.py", [*kept_results(NAME), result]
            )


if __name__ == "__main__":
    main()
