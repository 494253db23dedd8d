"""Places in the plane for a map of points, before and after diffusion."""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from sklearn.manifold import TSNE

from diffresnet._support.threads import limited_threads

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]

MAX_POINTS = 1500
PERPLEXITY = 30.0
N_ITERATIONS_BEFORE, N_ITERATIONS_AFTER = 350, 300
SEED = 0


@dataclass(frozen=True)
class Layout:
    """Where points are on two maps that correspond.

    Attributes:
        rows: (n,) which points are on the map, in order.
        before: (n, 2) places of their features, from -1 to 1; None without features.
        after: (n, 2) places after diffusion, from -1 to 1.
    """

    rows: Rows
    before: Floats | None
    after: Floats


def lay_out(features: Floats | None, diffused: Floats, always: Rows) -> Layout:
    """Place points in the plane by t-SNE, twice.

    The second map starts from the first, so that a point is found again near where it was.

    Args:
        features: (N, d), or None.
        diffused: (N, m) points after diffusion.
        always: rows that are on the map in any case; of the others, a random sample.
    """
    rows = sample_rows(len(diffused), always, MAX_POINTS, SEED)
    with limited_threads(1):
        before = None if features is None else _embed(features[rows], None, N_ITERATIONS_BEFORE)
        after = _embed(diffused[rows], before, N_ITERATIONS_AFTER)
    return Layout(rows, None if before is None else _fit_square(before), _fit_square(after))


def sample_rows(n_points: int, always: Rows, max_points: int, seed: int) -> Rows:
    """Return the rows of `always` and a random sample of the others, in order."""
    kept = np.unique(always)
    others = np.setdiff1d(np.arange(n_points), kept)
    n_others = min(len(others), max(max_points - len(kept), 0))
    sample = np.random.default_rng(seed).choice(others, n_others, replace=False)
    return np.sort(np.concatenate([kept, sample])).astype(np.int64)


def _embed(points: Floats, start: Floats | None, n_iterations: int) -> Floats:
    """Return the places of t-SNE, (n, 2), from `start` or from the principal directions."""
    n_points = len(points)
    if n_points < 4:  # t-SNE has nothing to tell about so few
        angles = 2 * np.pi * np.arange(n_points) / max(n_points, 1)
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)
    first = _principal_places(points) if start is None else start
    model = TSNE(
        perplexity=min(PERPLEXITY, (n_points - 1) / 3),
        early_exaggeration=12.0 if start is None else 4.0,
        init=cast("Any", first.astype(np.float32)),  # its type says text only
        max_iter=n_iterations,
        random_state=SEED,
        n_jobs=1,
    )
    return np.asarray(model.fit_transform(points.astype(np.float32)), dtype=np.float64)


def _principal_places(points: Floats) -> Floats:
    """Return a tiny picture of the points along their two main directions."""
    centered = points - points.mean(axis=0)
    directions = np.linalg.svd(centered, full_matrices=False)[2][:2]
    places = np.zeros((len(points), 2))
    places[:, : len(directions)] = centered @ directions.T
    spread = places[:, 0].std()
    noise = np.random.default_rng(SEED).normal(size=places.shape)  # parts equal points
    return 1e-4 * (places / (spread if spread > 0 else 1.0) + 0.01 * noise)


def _fit_square(places: Floats) -> Floats:
    """Move and scale the places into the square from -1 to 1, both axes alike."""
    low, high = places.min(axis=0), places.max(axis=0)
    half = float((high - low).max()) / 2
    return (places - (low + high) / 2) / (half if half > 0 else 1.0)
