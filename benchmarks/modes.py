"""How fast are the slow modes of a large graph, how good, and how much memory do they take?

The 100 slowest modes of the graph of 70,000 images of MNIST. Contestants: `slowest_modes`; the same
from a random start, without smaller graphs; a plain subspace iteration with torch's QR, as it was
before; and ARPACK's Lanczos iteration (`eigsh` of SciPy). Each runs in a process of its own, in
turns. The modes are held against ARPACK's: by their rates, and by the part of their squared length
that lies among as many of ARPACK's.
"""

import argparse
import json
import math
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, eigsh
from torch import Tensor

from diffresnet._support.threads import limited_threads, share
from diffresnet.datasets.files import find_data_file
from diffresnet.diffusion import aggregation
from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.diffusion.subspace import slowest_modes
from diffresnet.graph import matrix as mx
from diffresnet.graph.product import column_blocks, product
from diffresnet.graph.weights import build_weights
from diffresnet.learning.features import FeatureSpace
from timing import write_results

N_MODES = 100
N_ROUNDS = 3
"""Of turns; ARPACK, which takes long, has one."""

N_VECTORS = 128
TOLERANCE = 1e-2
Modes = tuple[Tensor, Tensor]


def make_graph(path: Path) -> None:
    """Write the Laplacian of the classifier's graph of the images."""
    arrays = np.load(find_data_file("images/mnist.npz"))
    images = np.concatenate([arrays["x_train"], arrays["x_test"]]).reshape(70_000, -1)
    weights = build_weights(
        FeatureSpace.fit(images.astype(np.float32), 0).points,
        11,
        bandwidth_rank=6,
        bandwidth_scale=0.5,
        normalization="sinkhorn",
        search="approximate",
    )
    sparse.save_npz(path, mx.to_scipy(DiffusionOperator(weights).laplacian), compressed=False)


def by_arpack(laplacian: Tensor, constant: Any) -> Modes:
    """Return the modes that Lanczos iteration finds, the constant one moved away."""
    array = mx.to_scipy(laplacian)
    far = 4 * float(array.diagonal().max())

    def apply(x: Any) -> Any:
        column = np.reshape(x, -1)
        return -(array @ column) - far * (constant @ (constant.T @ column))

    moved: Any = LinearOperator(array.shape, matvec=apply, dtype=array.dtype)
    start = np.random.default_rng(0).standard_normal(array.shape[0])
    values, vectors = eigsh(moved, k=N_MODES, which="LA", v0=start, tol=1e-4)
    return torch.from_numpy(-values[::-1].copy()), torch.from_numpy(vectors[:, ::-1].copy())


def plain_iteration(laplacian: Tensor, constant: Any) -> Modes:
    """Return the modes that a filtered block finds from a random start, made orthonormal by QR."""
    block = torch.randn(laplacian.shape[0], N_VECTORS, generator=torch.Generator().manual_seed(0))
    high = 2 * float(mx.diagonal(laplacian).max())
    low, before = high / 20, torch.full((N_MODES,), torch.inf)
    while True:
        block = plain_filter(laplacian, block, low, high)
        block -= torch.from_numpy(constant @ (constant.T @ block.numpy()))
        block = torch.linalg.qr(block)[0]
        moved = torch.cat([product(laplacian, part) for part in column_blocks(block)], dim=1)
        found, rotation = torch.linalg.eigh((block.mT @ moved).double())
        block, rates = block @ rotation.float(), found[:N_MODES].float()
        if bool(((before - rates).abs() <= TOLERANCE * rates).all()):
            return rates, block[:, :N_MODES]
        low, before = float(found[-1]), rates


def plain_filter(laplacian: Tensor, block: Tensor, low: float, high: float) -> Tensor:
    """Return a Chebyshev polynomial of the Laplacian times a block."""
    center, half = (low + high) / 2, (high - low) / 2
    degree = math.ceil(4 / math.acosh(center / half))

    def filter_columns(before: Tensor) -> Tensor:
        now = product(laplacian, before).sub_(before, alpha=center).div_(half)
        for _ in range(degree - 1):
            after = product(laplacian, now).sub_(now, alpha=center).mul_(2 / half).sub_(before)
            before, now = now, after
        return now / now.norm(dim=0)

    return torch.cat(share(filter_columns, column_blocks(block)), dim=1)


def from_random_start(laplacian: Tensor, constant: Any) -> Modes:
    """Return what `slowest_modes` finds without smaller graphs."""
    with patch.object(aggregation, "FEWEST_POINTS", laplacian.shape[0]):
        return slowest_modes(laplacian, constant, N_MODES)


def from_smaller_graphs(laplacian: Tensor, constant: Any) -> Modes:
    """Return what `slowest_modes` finds."""
    return slowest_modes(laplacian, constant, N_MODES)


WAYS = {
    "slowest_modes": from_smaller_graphs,
    "from a random start": from_random_start,
    "plain iteration": plain_iteration,
    "ARPACK": by_arpack,
}


def measure(name: str, graph: Path, n_threads: int, found: Path) -> dict[str, float]:
    """Time one contestant on a connected graph, and keep what it finds."""
    array: Any = sparse.csr_array(sparse.load_npz(graph))
    starts, columns, values = (
        torch.from_numpy(part) for part in (array.indptr, array.indices, array.data)
    )
    laplacian, n_points = mx.csr(starts, columns, values), array.shape[0]
    constant = sparse.csr_array(np.full((n_points, 1), n_points**-0.5, dtype=np.float32))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, cpu = time.perf_counter(), time.process_time()
    with limited_threads(n_threads):
        rates, modes = WAYS[name](laplacian, constant)
    result = {
        "seconds": time.perf_counter() - start,
        "cpu_seconds": time.process_time() - cpu,
        "megabytes": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024,
    }
    np.savez(found, rates=rates.numpy(), modes=modes.numpy())
    return result


def compare(found: Path, exact: Path) -> dict[str, float]:
    """Return how far the rates are off, and how much of the modes lies among the exact ones."""
    own, other = np.load(found), np.load(exact)
    off = np.abs(own["rates"] - other["rates"]) / other["rates"]
    common = other["modes"].astype(np.float64).T @ own["modes"].astype(np.float64)
    part = float(np.square(common).sum() / N_MODES)
    return {"largest_error_of_a_rate": float(off.max()), "common_part": part}


def run(graph: Path, n_threads: int, names: list[str], folder: Path) -> list[dict[str, Any]]:
    """Let contestants take turns, each in its own process."""
    results: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    paths = {name: folder / f"{one}.npz" for one, name in enumerate(names)}
    for turn in range(N_ROUNDS):
        for name in names[: None if turn == 0 else -1]:
            command = [sys.executable, __file__, "--contestant", name, "--graph", str(graph)]
            command += ["--threads", str(n_threads), "--found", str(paths[name])]
            done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
            results[name].append(json.loads(done.stdout.splitlines()[-1]))
            print(name, results[name][-1], flush=True)
    summary: list[dict[str, Any]] = []
    for name in names:
        every = results[name]
        middle = {key: statistics.median(one[key] for one in every) for key in every[0]}
        other = compare(paths[name], paths["ARPACK"]) if "ARPACK" in paths else {}
        summary.append({"contestant": name, "threads": n_threads, **middle, **other})
    return summary


def main() -> None:
    """Run all contestants."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--contestant", choices=tuple(WAYS), help="run this one only, in here")
    parser.add_argument("--graph", type=Path, help="a Laplacian of yours, written by save_npz")
    parser.add_argument("--make", type=Path, help="write the graph of the images only")
    parser.add_argument("--found", type=Path, help="where a contestant keeps its modes")
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    if given.make is not None:
        make_graph(given.make)
        return
    with TemporaryDirectory() as name:
        folder = Path(name)
        if given.contestant is not None:
            found = given.found or folder / "found.npz"
            print(json.dumps(measure(given.contestant, given.graph, given.threads, found)))
            return
        if given.graph is not None:
            print(json.dumps(run(given.graph, given.threads, list(WAYS), folder), indent=2))
            return
        graph = folder / "graph.npz"
        # In a process of its own: the memory of this one would count for those it starts.
        subprocess.run([sys.executable, __file__, "--make", str(graph)], check=True)  # noqa: S603
        results = run(graph, given.threads, list(WAYS), folder)
    write_results("modes", f"python benchmarks/modes.py --threads {given.threads}", results)


if __name__ == "__main__":
    main()
