"""How well does the classifier for several labels do, given few labeled points?

Labels are groups of the classes of real sets: a digit is even, prime, has a loop; a photograph
shows an animal, something that flies. Baselines learn every label by itself, and have the best of
their settings in hindsight; ours has its defaults.
"""

import argparse
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_digits, make_multilabel_classification
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler, normalize

from diffresnet.datasets.files import find_data_file
from diffresnet.estimators import (
    ConstantLabelWarning,
    DiffResNetMultiLabelClassifier,
    UnreachedWarning,
)
from timing import set_threads, write_results

Floats = npt.NDArray[Any]

N_POINTS = 2000
NUMBERS = (20, 50, 200)
OURS = "ours"
GROUPS: dict[str, tuple[tuple[int, ...], ...]] = {
    "digits": ((0, 2, 4, 6, 8), (0, 6, 8, 9), (5, 6, 7, 8, 9), (2, 3, 5, 7), (1, 4, 7)),
    "cifar10": ((2, 3, 4, 5, 6, 7), (0, 2), (1, 9), (3, 5), (3, 4, 5, 7), (8,)),
    "trec": ((0, 1), (2, 3), (4, 5), (0, 3), (1, 4)),
}
"""The classes that have each label."""


def load(name: str) -> tuple[Floats, Floats]:
    """Return features, and which labels each point has."""
    if name == "made":
        made: Any = make_multilabel_classification(
            1500, n_features=30, n_classes=6, n_labels=2, random_state=0
        )
        return made
    if name == "digits":
        digits: Any = load_digits()
        features, classes = digits.data, digits.target
    else:
        file = {"cifar10": "cifar10_mobilenetv2", "trec": "trec_minilm"}[name]
        arrays = np.load(find_data_file(f"features/{file}.npz"))
        rows = np.random.default_rng(0).permutation(len(arrays["labels"]))[:N_POINTS]
        features, classes = arrays["features"][rows].astype(float), arrays["labels"][rows]
    return features, np.stack([np.isin(classes, one) for one in GROUPS[name]], axis=1).astype(int)


def baselines(features: Floats, truth: Floats, rows: Floats) -> dict[str, Floats]:
    """Return the probabilities of every setting of every baseline, (N, K), by name."""
    found: dict[str, Floats] = {}
    scalings: dict[str, Any] = {
        "standardized": StandardScaler().fit_transform(features),
        "length one": normalize(features - features.mean(axis=0)),
    }
    for scaling, points in scalings.items():
        for strength in (0.1, 1.0, 10.0, 100.0):
            model = LogisticRegression(C=strength, max_iter=1000)
            columns = [_probability(model, points, column, rows) for column in truth.T]
            found[f"logistic regression, {scaling}, {strength}"] = np.stack(columns, axis=1)
        for number in (1, 3, 5, 10):
            model = KNeighborsClassifier(number)
            columns = [_probability(model, points, column, rows) for column in truth.T]
            found[f"k-NN, {scaling}, {number}"] = np.stack(columns, axis=1)
    return found


def _probability(model: Any, points: Floats, column: Floats, rows: Floats) -> Floats:
    if len(np.unique(column[rows])) < 2:
        return np.full(len(points), float(column[rows[0]]))
    return model.fit(points[rows], column[rows]).predict_proba(points)[:, 1]


def _f1(truth: Floats, probabilities: Floats) -> float:
    found = probabilities > 0.5
    return float(2 * (truth * found).sum() / max(truth.sum() + found.sum(), 1))


def judge(probabilities: Floats, truth: Floats) -> dict[str, float]:
    """Return accuracy, F1 over the labels, and the mean logarithmic loss."""
    right = np.where(truth == 1, probabilities, 1 - probabilities)
    return {
        "accuracy": float(np.mean((probabilities > 0.5) == truth)),
        "f1": float(np.mean([_f1(*pair) for pair in zip(truth.T, probabilities.T, strict=True)])),
        "loss": float(-np.log(right.clip(1e-3)).mean()),
    }


def main() -> None:
    """Run every method on every set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=5)
    n_draws: int = parser.parse_args().draws
    set_threads(1)
    warnings.simplefilter("ignore", UnreachedWarning)
    warnings.simplefilter("ignore", ConstantLabelWarning)
    results: list[dict[str, Any]] = []
    for name in (*GROUPS, "made"):
        features, truth = load(name)
        for number in NUMBERS:
            found: dict[str, list[dict[str, float]]] = {}
            for seed in range(n_draws):
                order = np.random.default_rng(seed).permutation(len(truth))
                rows, rest = order[:number], order[number:]
                given = np.full(truth.shape, -1)
                given[rows] = truth[rows]
                ours = DiffResNetMultiLabelClassifier().fit(features, given).label_distributions_
                methods = baselines(features, truth, rows) | {OURS: ours}
                for method, probabilities in methods.items():
                    found.setdefault(method, []).append(judge(probabilities[rest], truth[rest]))
            means = {
                method: {key: float(np.mean([one[key] for one in draws])) for key in draws[0]}
                for method, draws in found.items()
            }
            for kind in (OURS, "logistic regression", "k-NN"):
                own = {method: mean for method, mean in means.items() if method.startswith(kind)}
                best = {
                    key: (min if key == "loss" else max)(mean[key] for mean in own.values())
                    for key in ("accuracy", "f1", "loss")
                }
                results.append({"set": name, "points": number, "method": kind, **best})
                print(results[-1], flush=True)
    write_results(
        "several_labels", f"python benchmarks/several_labels.py --draws {n_draws}", results
    )


if __name__ == "__main__":
    main()
