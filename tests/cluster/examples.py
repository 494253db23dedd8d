"""Points in files, and a graph in blocks, as the tests of the cluster need them."""

import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.datasets import load_digits

from diffresnet.cluster.blocks import Blocks
from diffresnet.cluster.engine import Engine, InProcess
from diffresnet.cluster.graph_rows import Layout
from diffresnet.cluster.job import Job, Outcome
from diffresnet.cluster.settings import Settings
from diffresnet.cluster.source import Source
from diffresnet.cluster.work import Work

DIGITS: Any = load_digits()
FEATURES, CLASSES = DIGITS.data.astype(np.float32)[:600], DIGITS.target[:600]
N_LABELED = 50
LABELS = {f"p{row}": str(CLASSES[row]) for row in range(N_LABELED)}
SAME_GRAPH = ("survey", "files", "shards", "rows", "shards.json")
"""What the files of a job have before its graph is cut into blocks."""


def write_points(folder: Path, n_files: int = 3, features: Any = FEATURES) -> Path:
    """Write points to a folder of Parquet files, as a column of lists."""
    folder.mkdir(parents=True)
    for file, rows in enumerate(np.array_split(np.arange(len(features)), n_files)):
        write_file(folder / f"{file}.parquet", [f"p{row}" for row in rows], features[rows])
    return folder


def write_file(path: Path, ids: list[str], features: Any) -> None:
    kinds = {"id": pl.String, "embedding": pl.List(pl.Float32)}
    pl.DataFrame({"id": ids, "embedding": features.tolist()}, schema=kinds).write_parquet(path)


def write_labels(path: Path, labels: dict[str, str] = LABELS) -> Path:
    pl.DataFrame({"id": list(labels), "label": list(labels.values())}).write_csv(path)
    return path


def make_job(folder: Path, points: Path, engine: Engine | None = None, **settings: Any) -> Job:
    source = Source.of(str(points), None, None)
    return Job(engine or InProcess(), Work(folder), source, LABELS, Settings(**settings))


def with_blocks(graph: Path, folder: Path, points: Path, n_blocks: int) -> tuple[Outcome, Work]:
    """Classify with the graph of another job, cut into some blocks."""
    folder.mkdir()
    for name in SAME_GRAPH:
        copy: Any = shutil.copytree if (graph / name).is_dir() else shutil.copy
        copy(graph / name, folder / name)
    job = make_job(folder, points, n_blocks=n_blocks)
    return job.run(), job.work


def predictions(folder: Path) -> pl.DataFrame:
    return pl.concat([pl.read_parquet(path) for path in sorted(folder.glob("*.parquet"))])


def largest_difference(one: pl.DataFrame, other: pl.DataFrame) -> float:
    assert one["id"].to_list() == other["id"].to_list()
    assert one["label"].to_list() == other["label"].to_list()
    assert one["reached"].to_list() == other["reached"].to_list()
    both = [frame.select("probability", "margin").to_numpy() for frame in (one, other)]
    return float(np.abs(both[0] - both[1]).max())


def random_graph(n_points: int, seed: int = 0) -> Any:
    """Return symmetric weights of two components and isolated points, linked to itself each."""
    generator = np.random.default_rng(seed)
    dense = generator.random((n_points, n_points)) * (generator.random((n_points, n_points)) < 0.15)
    half = n_points // 2
    dense[:half, half:] = 0
    dense = np.triu(dense) + np.triu(dense, 1).T
    np.fill_diagonal(dense, 1)
    for one in (3, half + 1, n_points - 1):  # without any link, two of them not even to itself
        dense[one], dense[:, one] = 0, 0
    dense[3, 3] = 1
    return sparse.csr_array(dense.astype(np.float32))


def blocks_of(folder: Path, weights: Any, bounds: tuple[int, ...], shape: int = 2) -> Blocks:
    """Write a graph with a shard for each block, and start these."""
    work = Work(folder)
    for one, (low, high) in enumerate(pairwise(bounds)):
        rows = weights[low:high]
        work.save(f"rows/{one}/starts.npy", rows.indptr.astype(np.int64))
        work.save(f"rows/{one}/columns.npy", rows.indices.astype(np.int64))
        work.save(f"rows/{one}/values.npy", rows.data)
        near = np.arange(low, high, dtype=np.int32)[:, None]  # each point is a landmark
        work.save(f"shards/{one}/near.npy", near)
        work.save(f"shards/{one}/near_weights.npy", np.ones((high - low, 1), np.float32))
        work.save(f"shards/{one}/points.npy", np.zeros((high - low, shape), np.float32))
    blocks = Blocks(InProcess(), work, Layout(bounds, tuple(range(len(bounds)))))
    blocks.run(lambda: None)
    return blocks
