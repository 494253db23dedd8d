"""Which solver of the classifier is best? The mixture and the kernel were tuned on these sets."""

import warnings
from typing import Any, get_args

import numpy as np

from diffresnet.datasets.files import find_data_file
from diffresnet.estimators import DiffResNetClassifier, UnreachedWarning
from diffresnet.estimators.solution import SolverName
from diffresnet.measuring.statistics import half_interval
from few_label_sets import draw
from few_labels import judge
from timing import set_threads, write_results

SETS = (
    "features/stackoverflow_minilm",
    "features/fashion_vae",
    "features/mnist_imbalanced_vae",
    "features/movie_reviews_minilm",
    "tables/pendigits",
    "tables/segment",
    "tables/letter",
    "tables/vowel",
)
N_POINTS = 2000
N_DRAWS = 3


def load(name: str) -> tuple[Any, Any]:
    """Return features and labels of at most `N_POINTS` points of a set."""
    arrays = np.load(find_data_file(f"{name}.npz"))
    rows = np.random.default_rng(0).permutation(len(arrays["labels"]))[:N_POINTS]
    labels = np.unique(arrays["labels"][rows], return_inverse=True)[1]
    return arrays["features"][rows].astype(np.float32), labels


def main() -> None:
    """Run every solver on every set, and print the means over the sets."""
    set_threads(1)
    warnings.simplefilter("ignore", UnreachedWarning)
    results: list[dict[str, Any]] = []
    for name in SETS:
        features, labels = load(name)
        for solver in get_args(SolverName):
            model = DiffResNetClassifier(solver=solver)
            for n_labels in (1, 5, 20):
                draws = [draw(labels, n_labels, seed) for seed in range(N_DRAWS)]
                found = [
                    judge(model.fit(features, partly).label_distributions_, labels, partly)
                    for partly in draws
                ]
                accuracies = np.array([one["accuracy"] for one in found])
                errors = [one["calibration_error"] for one in found]
                result = {
                    "set": name,
                    "labels_per_class": n_labels,
                    "solver": solver,
                    "accuracy": float(accuracies.mean()),
                    "ci95": half_interval(accuracies),
                    "calibration_error": float(np.mean(errors)),
                }
                results.append(result)
                print(result, flush=True)
    write_results("solver_sets", "python benchmarks/solver_sets.py", results)
    for solver in get_args(SolverName):
        for n_labels in (1, 5, 20):
            chosen = [
                one
                for one in results
                if (one["solver"], one["labels_per_class"]) == (solver, n_labels)
            ]
            means = [
                np.mean([one[key] for one in chosen]) for key in ("accuracy", "calibration_error")
            ]
            print(solver, n_labels, *(f"{100 * mean:.1f}" for mean in means))


if __name__ == "__main__":
    main()
