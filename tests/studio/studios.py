"""Studios to test: three clusters of points, some far away from all others."""

from pathlib import Path

import numpy as np
import polars as pl

from diffresnet.studio.engine import Studio
from diffresnet.studio.opening import Source

N_EACH = 30
NAMES = ("red", "green", "blue")
TRUTH = np.repeat(np.arange(3), N_EACH)


def cluster_points(seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centers = 6 * np.eye(3, 8)
    return np.repeat(centers, N_EACH, axis=0) + rng.normal(size=(3 * N_EACH, 8))


def write_clusters(folder: Path, name: str = "points.npz") -> Path:
    path = folder / name
    ids = np.array([f"p{row}" for row in range(3 * N_EACH)])
    np.savez(path, features=cluster_points(), ids=ids)
    return path


def open_clusters(folder: Path) -> Studio:
    path = folder / "points.npz"
    return Studio.open(Source(path if path.exists() else write_clusters(folder)))


def label_all_classes(studio: Studio, n_each: int = 1) -> None:
    """Add a class for each cluster, and label its first points."""
    for one, name in enumerate(NAMES):
        rows = list(range(one * N_EACH, one * N_EACH + n_each))
        studio.do({"kind": "add_class", "name": name, "selection": {"rows": rows}})


def write_links(folder: Path) -> Path:
    path = folder / "links.csv"
    pairs = [("a", "b"), ("b", "c"), ("c", "a"), ("x", "y"), ("y", "z"), ("z", "x")]
    pl.DataFrame(pairs, schema=["source", "target"], orient="row").write_csv(path)
    return path
