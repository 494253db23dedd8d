"""Data that scikit-learn carries, with bounds that five lost points break.

Each bound is some four points below the mean over the draws when it was set.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.preprocessing import StandardScaler

from diffresnet.estimators import DiffResNetClassifier
from diffresnet.estimators.solution import SolverName

N_DRAWS = 3
LOADERS: dict[str, Callable[[], Any]] = {
    "digits": load_digits,
    "wine": load_wine,
    "breast cancer": load_breast_cancer,
}
BOUNDS: dict[tuple[str, int, SolverName], float] = {
    ("digits", 1, "mixture"): 0.88,
    ("digits", 1, "kernel"): 0.87,
    ("digits", 1, "network"): 0.77,
    ("digits", 5, "mixture"): 0.90,
    ("digits", 5, "kernel"): 0.89,
    ("digits", 5, "network"): 0.88,
    ("wine", 1, "mixture"): 0.89,
    ("wine", 1, "kernel"): 0.90,
    ("wine", 1, "network"): 0.89,
    ("wine", 5, "mixture"): 0.89,
    ("wine", 5, "kernel"): 0.91,
    ("wine", 5, "network"): 0.92,
    ("breast cancer", 1, "mixture"): 0.88,
    ("breast cancer", 1, "kernel"): 0.89,
    ("breast cancer", 1, "network"): 0.87,
    ("breast cancer", 5, "mixture"): 0.89,
    ("breast cancer", 5, "kernel"): 0.90,
    ("breast cancer", 5, "network"): 0.89,
}


def draw(truth: npt.NDArray[Any], n_labels: int, seed: int) -> npt.NDArray[Any]:
    generator = np.random.default_rng(seed)
    labels = np.full(len(truth), -1)
    for one in np.unique(truth):
        labels[generator.permutation(np.flatnonzero(truth == one))[:n_labels]] = one
    return labels


def accuracy(name: str, n_labels: int, solver: SolverName) -> float:
    """Return the mean accuracy on the points without a label, over draws of labels."""
    data = LOADERS[name]()
    points = StandardScaler().fit_transform(data.data) if name != "digits" else data.data
    found: list[float] = []
    model = DiffResNetClassifier(solver=solver)
    for seed in range(N_DRAWS):
        labels = draw(data.target, n_labels, seed)
        right = model.fit(points, labels).transduction_ == data.target
        found.append(float(right[labels == -1].mean()))
    return float(np.mean(found))


@pytest.mark.parametrize(("name", "n_labels", "solver"), BOUNDS, ids=str)
def test_accuracy_on_real_data(name: str, n_labels: int, solver: SolverName) -> None:
    assert accuracy(name, n_labels, solver) > BOUNDS[name, n_labels, solver]
