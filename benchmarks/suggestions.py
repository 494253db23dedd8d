"""Is it worth labeling the points that the classifier suggests, rather than random ones?

From as many random labels as there are classes on, labels are added at random or as `suggest` says,
one per class at a time; and `suggest_first` is tried against random points where there is no label.
"""

import warnings
from typing import Any

import numpy as np

from diffresnet.estimators import DiffResNetClassifier
from few_label_sets import load
from timing import set_threads, write_results

SETS = ("digits", "umist", "vowel", "segment", "cifar10", "stackoverflow")
N_SEEDS = 3
SIZES = (2, 5, 10)
"""Labels in all, in units of the number of classes."""


def accuracy(model: DiffResNetClassifier, truth: Any) -> float:
    """Return the accuracy on points without a label."""
    rest = model.encoded_labels_ < 0
    return float((model.transduction_ == truth)[rest].mean())


def grow(features: Any, truth: Any, order: Any, *, by_suggestion: bool) -> list[float]:
    """Return the accuracies as labels are added."""
    n_classes = int(truth.max()) + 1
    labels = np.full(len(truth), -1)
    labels[order[:n_classes]] = truth[order[:n_classes]]
    model = DiffResNetClassifier().fit(features, labels)
    found: list[float] = []
    for size in SIZES:
        while (n_more := size * n_classes - int((model.encoded_labels_ >= 0).sum())) > 0:
            free = [row for row in order if model.encoded_labels_[row] < 0]
            n_now = min(n_more, n_classes)
            chosen = model.suggest(n_now) if by_suggestion else np.array(free[:n_now])
            model.update_labels(chosen, truth[chosen])
        found.append(accuracy(model, truth))
    return found


def start(features: Any, truth: Any, rows: Any) -> float | None:
    """Return the accuracy from these labels, if they are of two classes."""
    if len(np.unique(truth[rows])) < 2:
        return None
    labels = np.full(len(truth), -1)
    labels[rows] = truth[rows]
    return accuracy(DiffResNetClassifier().fit(features, labels), truth)


def main() -> None:
    """Run all sets, and print a line for each."""
    set_threads(1)
    warnings.simplefilter("ignore")
    results: list[dict[str, Any]] = []
    for name in SETS:
        features, truth = load(name)
        n_classes = int(truth.max()) + 1
        runs: dict[str, list[list[float]]] = {"random": [], "suggest": []}
        starts: dict[str, list[float]] = {"random": [], "suggest_first": []}
        for seed in range(N_SEEDS):
            order = np.random.default_rng(seed).permutation(len(truth))
            for kind, by_suggestion in (("random", False), ("suggest", True)):
                runs[kind].append(grow(features, truth, order, by_suggestion=by_suggestion))
            first = DiffResNetClassifier(random_state=seed).suggest_first(features, n_classes)
            for kind, rows in (("random", order[:n_classes]), ("suggest_first", first)):
                if (found := start(features, truth, rows)) is not None:
                    starts[kind].append(found)
        result = {
            "set": name,
            "labels_per_class": SIZES,
            "accuracy": {kind: np.mean(found, axis=0).tolist() for kind, found in runs.items()},
            "start": {kind: float(np.mean(found)) for kind, found in starts.items()},
        }
        results.append(result)
        print(result, flush=True)
    write_results("suggestions", "python benchmarks/suggestions.py", results)


if __name__ == "__main__":
    main()
