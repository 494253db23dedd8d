"""What does an update that keeps its choices differ by from a fit, and how long does it take?

200 labels drawn at random, then 1, 2, 5, 10 and 18 more (CUB: 150 classes of 30 photographs, 5
labels per class, then 10 more). An update keeps what the labels had chosen; the fit chooses anew.
Beside it stands what a single label more changes in a fit: the difference that is there anyway.
"""

import time
import warnings
from typing import Any

import numpy as np

from diffresnet.datasets.files import find_data_file
from diffresnet.estimators import DiffResNetClassifier
from few_label_sets import load
from timing import set_threads, write_results

SETS = ("digits", "cifar10", "stackoverflow", "pendigits", "segment", "cub")
MORE = (1, 2, 5, 10, 18)
N_LABELS = 200


def load_set(name: str) -> tuple[Any, Any, Any]:
    """Return points, their classes, and the order in which they are labeled."""
    generator = np.random.default_rng(0)
    if name != "cub":
        points, classes = load(name)
        return points, classes, generator.permutation(len(classes))
    bank = np.load(find_data_file("features/cub_efficientnet_lite0.npz"))
    rows = [np.flatnonzero(bank["labels"] == one)[:30] for one in np.unique(bank["labels"])[:150]]
    firsts = np.concatenate([generator.permutation(30)[:5] + 30 * one for one in range(150)])
    others = np.setdiff1d(np.arange(4500), firsts)
    order = np.concatenate([firsts, generator.permutation(others)])
    points = bank["features"][np.concatenate(rows)].astype(np.float32)
    return points, np.repeat(np.arange(150), 30), order


def compare(left: Any, right: Any) -> dict[str, float]:
    """Return how much two sets of probabilities differ."""
    return {
        "labels": float((left.argmax(axis=1) != right.argmax(axis=1)).mean()),
        "mean_probability": float(np.abs(left - right).mean()),
    }


def run(name: str) -> list[dict[str, Any]]:
    """Update step by step, and fit beside it."""
    points, classes, order = load_set(name)
    n_first = 750 if name == "cub" else N_LABELS
    labels = np.full(len(classes), -1)
    labels[order[:n_first]] = classes[order[:n_first]]
    rest = order[n_first + MORE[-1] :]
    model = DiffResNetClassifier().fit(points, labels)
    exact = DiffResNetClassifier().fit(points, labels)
    results: list[dict[str, Any]] = []
    for n_more in MORE:
        rows = order[n_first : n_first + n_more]
        start = time.process_time()
        model.update_labels(rows, classes[rows])
        warm_seconds = time.process_time() - start
        before = exact.label_distributions_
        start = time.process_time()
        exact.update_labels(rows, classes[rows], exact=True)
        exact_seconds = time.process_time() - start
        warm, anew = model.label_distributions_, exact.label_distributions_
        right = [float((one.argmax(axis=1) == classes)[rest].mean()) for one in (warm, anew)]
        results.append(
            {
                "set": name,
                "n_points": len(classes),
                "n_labels": n_first,
                "n_more": n_more,
                "update_and_fit": compare(warm, anew),
                "fit_and_fit_before": compare(before, anew),
                "accuracy_of_update": right[0],
                "accuracy_of_fit": right[1],
                "update_seconds": warm_seconds,
                "exact_seconds": exact_seconds,
            }
        )
    return results


def main() -> None:
    """Run all sets."""
    set_threads(1)
    warnings.simplefilter("ignore")
    results = [one for name in SETS for one in run(name)]
    write_results("updates", "python benchmarks/updates.py", results)
    for key in ("update_and_fit", "fit_and_fit_before"):
        labels = np.mean([one[key]["labels"] for one in results])
        probability = np.mean([one[key]["mean_probability"] for one in results])
        print(f"{key}: {labels:.1%} of the labels, {probability:.4f} of a probability")
    gaps = [one["accuracy_of_update"] - one["accuracy_of_fit"] for one in results]
    print(f"accuracy of the update minus that of the fit: {100 * np.mean(gaps):+.2f} points")


if __name__ == "__main__":
    main()
