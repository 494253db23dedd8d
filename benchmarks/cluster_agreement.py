"""Does the cluster answer what the classifier answers on one machine?

Digits, and some thousand images of MNIST and embeddings of CIFAR-10, with a few labels per class,
drawn several times: the accuracy of both on all other points, how often they agree, and how many
links of the exact graph the shards have. All in one process, with four shards and two blocks.
"""

import argparse
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import torch
from sklearn.datasets import load_digits

from diffresnet import DiffResNetClassifier, build_weights
from diffresnet.cluster.engine import InProcess
from diffresnet.cluster.job import Job
from diffresnet.cluster.settings import Settings
from diffresnet.cluster.source import Source
from diffresnet.cluster.work import Work
from diffresnet.datasets.files import find_data_file
from diffresnet.graph import matrix as mx
from timing import write_results

N_SHARDS, N_FILES = 4, 2
SETS = ("digits", "mnist", "cifar10")


def load(name: str, n_points: int) -> tuple[Any, Any]:
    """Return features (N, d) and classes (N,)."""
    if name == "digits":
        digits: Any = load_digits()
        return digits.data.astype(np.float32), digits.target
    if name == "mnist":
        arrays = np.load(find_data_file("images/mnist.npz"))
        points, classes = arrays["x_test"].reshape(10_000, -1), arrays["y_test"]
    else:
        arrays = np.load(find_data_file("features/cifar10_mobilenetv2.npz"))
        points, classes = arrays["features"], arrays["labels"]
    drawn = np.random.default_rng(0).permutation(len(classes))[:n_points]
    return points[drawn].astype(np.float32), classes[drawn].astype(np.int64)


def write(folder: Path, points: Any) -> None:
    """Write points to some files."""
    folder.mkdir()
    for file, rows in enumerate(np.array_split(np.arange(len(points)), N_FILES)):
        ids = [f"{row:07}" for row in rows]
        array = pl.Series(points[rows]).cast(pl.List(pl.Float32))
        pl.DataFrame({"id": ids, "x": array}).write_parquet(folder / f"{file}.parquet")


def link_recall(work: Work, n_shards: int) -> float:
    """Return how many links of the exact graph the shards have."""
    own = [work.load(f"shards/{one}/points.npy") for one in range(n_shards)]
    starts = np.cumsum([0, *(len(one) for one in own)])
    exact = mx.to_scipy(build_weights(torch.from_numpy(np.concatenate(own)), 11)).tocoo()
    n_points = int(starts[-1])
    found = [
        (
            starts[one]
            + np.repeat(np.arange(len(own[one])), np.diff(work.load(f"rows/{one}/starts.npy")))
        )
        * n_points
        + work.load(f"rows/{one}/columns.npy")
        for one in range(n_shards)
    ]
    wanted = exact.coords[0].astype(np.int64) * n_points + exact.coords[1]
    return float(np.isin(wanted, np.concatenate(found)).mean())


def compare(name: str, folder: Path, given_sizes: argparse.Namespace) -> list[dict[str, Any]]:
    """Compare both on a set."""
    points, truth = load(name, given_sizes.points)
    write(folder / "points", points)
    source, results = Source.of(str(folder / "points"), None, None), list[dict[str, Any]]()
    recall = None
    for per_class in given_sizes.per_class:
        rows = []
        for draw in range(given_sizes.draws):
            generator = np.random.default_rng([draw, per_class])
            of_each = [np.flatnonzero(truth == one) for one in range(truth.max() + 1)]
            labeled = np.concatenate([generator.permutation(one)[:per_class] for one in of_each])
            given = {f"{row:07}": str(truth[row]) for row in labeled}
            work = Work(folder / "work")
            settings = Settings(n_shards=N_SHARDS, n_blocks=2)
            Job(InProcess(), work, source, given, settings).run()
            parts = sorted((work.folder / "parts").glob("*.parquet"))
            found = np.concatenate([pl.read_parquet(path)["label"].cast(int) for path in parts])
            recall = link_recall(work, N_SHARDS) if recall is None else recall
            shutil.rmtree(work.folder)
            y = np.full(len(truth), -1)
            y[labeled] = truth[labeled]
            alone = DiffResNetClassifier().fit(points, y).transduction_
            is_new = y < 0
            accuracies = [(one == truth)[is_new].mean() for one in (found, alone)]
            rows.append([*accuracies, (found == alone)[is_new].mean()])
        means = np.mean(rows, axis=0)
        result = {
            "set": name,
            "points": len(points),
            "draws": given_sizes.draws,
            "labels per class": per_class,
            "cluster, %": round(float(100 * means[0]), 2),
            "one machine, %": round(float(100 * means[1]), 2),
            "agreement, %": round(float(100 * means[2]), 2),
            "links of the exact graph, %": round(100 * (recall or 0), 2),
        }
        print(result, flush=True)
        results.append(result)
    return results


def main() -> None:
    """Compare on all sets, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=5000)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--per-class", type=int, nargs="+", default=[1, 5, 20])
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS)
    given = parser.parse_args()
    results: list[dict[str, Any]] = []
    for name in given.sets:
        with tempfile.TemporaryDirectory() as folder:
            results += compare(name, Path(folder), given)
    command = (
        f"python benchmarks/cluster_agreement.py --points {given.points} --draws {given.draws}"
    )
    write_results("cluster_agreement", command, results)


if __name__ == "__main__":
    main()
