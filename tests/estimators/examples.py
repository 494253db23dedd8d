"""Points in well separated clusters, most of them without a label."""

from typing import Any

import numpy as np
import numpy.typing as npt

from diffresnet.estimators.points import FittedPoints

SETTINGS: dict[str, Any] = {
    "n_classes": 3,
    "n_top": 8,
    "bandwidth_rank": 4,
    "normalization": "sinkhorn",
    "search": "exact",
    "seed": 0,
}


def clusters(
    n_classes: int = 3, n_each: int = 40, n_features: int = 8, seed: int = 0
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Return points and their classes, class by class."""
    generator = np.random.default_rng(seed)
    centers = 6 * generator.standard_normal((n_classes, n_features))
    classes = np.repeat(np.arange(n_classes), n_each)
    return centers[classes] + generator.standard_normal((len(classes), n_features)), classes


def partly(classes: npt.NDArray[np.int64], n_labels: int = 1) -> npt.NDArray[np.int64]:
    """Return the labels of the first `n_labels` of each class, -1 elsewhere."""
    labels = np.full(len(classes), -1)
    for one in np.unique(classes):
        labels[np.flatnonzero(classes == one)[:n_labels]] = one
    return labels


def fitted(points: npt.NDArray[np.float64]) -> FittedPoints:
    """Return points with their graph."""
    return FittedPoints.make(points, None, **SETTINGS)
