"""Which method labels the rest best, given one or five labels per class?

Every baseline has its choice: features as they are or centered and scaled to length one, and of
each graph method the kernel and the number of neighbors that are best on the first draws. Our
solvers have their defaults. The methods of `graphlearning` (with `annoy`) take part where it is
installed. A stopped run goes on where it was; what was run takes its place in the kept results.
"""

import argparse
import json
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.semi_supervised import LabelPropagation, LabelSpreading, SelfTrainingClassifier

from diffresnet._support.writing import write_whole
from diffresnet.datasets.files import find_data_file
from diffresnet.estimators import DiffResNetClassifier
from diffresnet.estimators.solution import SolverName
from diffresnet.measuring.statistics import half_interval
from timing import kept_results, set_threads, write_results

Floats = npt.NDArray[Any]
Contestant = Callable[[Floats, Floats], Floats]
"""From features, and labels with -1 for unknown ones, to the scores of all points."""

SETS = ("cifar10", "trec", "banking77", "mnist")
N_DRAWS = 20
N_TRIAL_DRAWS = 2
"""The best variant of a baseline is found on this number of draws."""


def load(name: str) -> tuple[Floats, Floats]:
    """Return features and labels of a set."""
    if name == "mnist":
        images = np.load(find_data_file("images/mnist.npz"))
        return images["x_test"].reshape(10_000, -1).astype(np.float32) / 255, images["y_test"]
    file = {
        "cifar10": "cifar10_mobilenetv2",
        "trec": "trec_minilm",
        "banking77": "banking77_minilm",
    }
    arrays = np.load(find_data_file(f"features/{file[name]}.npz"))
    return arrays["features"].astype(np.float32), np.unique(arrays["labels"], return_inverse=True)[
        1
    ]


def draw(labels: Floats, n_labels: int, seed: int) -> Floats:
    """Return labels of which only `n_labels` per class are given, the others -1."""
    generator = np.random.default_rng(seed)
    partly = np.full(len(labels), -1)
    for one in np.unique(labels):
        chosen = generator.permutation(np.flatnonzero(labels == one))[:n_labels]
        partly[chosen] = one
    return partly


def centered(features: Floats) -> Floats:
    """Return features without their mean, of length one."""
    moved = features - features.mean(axis=0)
    return moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-12)


def inductive(estimator: Any, features: Floats, partly: Floats) -> Floats:
    """Fit on the labeled points only."""
    is_labeled = partly >= 0
    fitted = estimator.fit(features[is_labeled], partly[is_labeled])
    return fitted.predict_proba(features)


def nearest_prototype(features: Floats, partly: Floats) -> Floats:
    """Return minus the squared distances to the means of the labeled points."""
    means = np.stack([features[partly == one].mean(axis=0) for one in range(partly.max() + 1)])
    return 2 * features @ means.T - np.square(means).sum(axis=1)


def transductive(make: Callable[[], Any], features: Floats, partly: Floats) -> Floats:
    """Fit on all points, of which most have no label."""
    fitted = make().fit(features, partly)
    if hasattr(fitted, "label_distributions_"):
        return fitted.label_distributions_
    return fitted.predict_proba(features)


class Graphs:
    """Weight matrices of a set, each made once: baselines that need them are fitted many times."""

    def __init__(self, features: Floats) -> None:
        self.features = features
        self.made: dict[str, Any] = {}

    def gaussian(self, gamma: float) -> Floats:
        """Return exp(-gamma |x - y|^2) of all pairs."""
        if "distances" not in self.made:
            norms = np.square(self.features).sum(axis=1)
            squares = norms[:, None] + norms - 2 * self.features @ self.features.T
            self.made["distances"] = squares.clip(min=0).astype(np.float64)
        return np.exp(-gamma * self.made["distances"])

    def sparse(self, n_neighbors: int) -> sparse.csr_matrix:
        """Return scikit-learn's graph of ones."""
        key = f"knn {n_neighbors}"
        if key not in self.made:
            model = NearestNeighbors(n_neighbors=n_neighbors).fit(self.features)
            self.made[key] = model.kneighbors_graph(self.features)
        return self.made[key].copy()

    def learning(self, n_neighbors: int) -> Any:
        """Return graphlearning's Gaussian graph."""
        key = f"gl {n_neighbors}"
        if key not in self.made:
            graphlearning: Any = import_module("graphlearning")
            self.made[key] = graphlearning.weightmatrix.knn(self.features, n_neighbors)
        return self.made[key]


def spread(
    model: Callable[..., Any],
    kernel: Callable[[], Any],
    features: Floats,
    partly: Floats,
) -> Floats:
    """Run scikit-learn's label spreading or propagation with a graph that is kept."""

    def graph(*_: Floats) -> Any:
        return kernel()

    return model(kernel=graph, max_iter=30).fit(features, partly).label_distributions_


def learn_on_graph(
    name: str, options: dict[str, str], graphs: Graphs, n_neighbors: int
) -> Contestant:
    """Return a method of graphlearning on one of the graphs."""

    def run(_: Floats, partly: Floats) -> Floats:
        graphlearning: Any = import_module("graphlearning")
        rows = np.flatnonzero(partly >= 0)
        model = getattr(graphlearning.ssl, name)(graphs.learning(n_neighbors), **options)
        return np.asarray(model.fit(rows, partly[rows]))

    return run


def baselines(features: Floats, *, with_graphlearning: bool) -> dict[str, list[Contestant]]:
    """Return the variants of each baseline; each takes features and partial labels."""
    both = (features, centered(features))

    def on(which: Floats, run: Contestant) -> Contestant:
        return lambda _, partly: run(which, partly)

    def each(run: Contestant) -> list[Contestant]:
        return [on(one, run) for one in both]

    def regression() -> LogisticRegression:
        return LogisticRegression(max_iter=500)

    found: dict[str, list[Contestant]] = {
        "logistic regression": each(partial(inductive, regression())),
        "1-NN": each(partial(inductive, KNeighborsClassifier(1))),
        "nearest prototype": each(nearest_prototype),
        "self-training": each(partial(transductive, lambda: SelfTrainingClassifier(regression()))),
    }
    graphs = [Graphs(one) for one in both]
    for model in (LabelPropagation, LabelSpreading):
        kernels: list[Callable[[], Any]] = [
            partial(graph.sparse, n_neighbors) for graph in graphs for n_neighbors in (7, 10, 20)
        ]
        kernels += [partial(graphs[1].gaussian, gamma) for gamma in (10.0, 50.0)]
        found[model.__name__] = [partial(spread, model, kernel) for kernel in kernels]
    if with_graphlearning:
        for title, name, options in (
            ("laplace", "laplace", {}),
            ("WNLL", "laplace", {"reweighting": "wnll"}),
            ("poisson", "poisson", {}),
        ):
            found[f"graphlearning {title}"] = [
                learn_on_graph(name, options, graph, n) for graph in graphs for n in (10, 20)
            ]
    return found


def expected_calibration_error(probabilities: Floats, right: Floats, n_bins: int = 15) -> float:
    """Return the mean gap between confidence and accuracy over bins of confidence."""
    confidence = probabilities.max(axis=1)
    bins = np.minimum((confidence * n_bins).astype(int), n_bins - 1)
    gaps = [
        abs(confidence[bins == one].mean() - right[bins == one].mean()) * (bins == one).mean()
        for one in np.unique(bins)
    ]
    return float(sum(gaps))


def judge(scores: Floats, labels: Floats, partly: Floats) -> dict[str, float]:
    """Return accuracy, and calibration error if the scores are probabilities, of the unlabeled."""
    rest = partly < 0
    scores = np.nan_to_num(scores[rest])
    right = scores.argmax(axis=1) == labels[rest]
    sums = scores.sum(axis=1)
    found = {"accuracy": float(right.mean())}
    probable = scores.min() >= 0 and bool(np.isin(sums.round(3), (0, 1)).all())
    if probable:
        found["calibration_error"] = expected_calibration_error(scores, right)
    return found


OURS: dict[str, SolverName] = {
    "mixture": "mixture",
    "Diff-ResNet, kernel": "kernel",
    "Diff-ResNet, network": "network",
}


class Ours:
    """Our classifier as it comes; its graph is made once, and its labels are changed."""

    def __init__(self, solver: SolverName) -> None:
        self.solver: SolverName = solver
        self.model: DiffResNetClassifier | None = None

    def __call__(self, features: Floats, partly: Floats) -> Floats:
        """Fit, or forget all labels and take these: both give the same."""
        if self.model is None:
            self.model = DiffResNetClassifier(solver=self.solver).fit(features, partly)
        else:
            self.model.update_labels(np.arange(len(partly)), partly)
        return self.model.label_distributions_


def contest(name: str, folder: Path, *, methods: list[str] | None) -> Iterable[dict[str, Any]]:
    """Yield the results of each method on a set."""
    features, labels = load(name)
    with_graphlearning = find_spec("graphlearning") is not None
    contestants: dict[str, list[Contestant]] = {
        method: [Ours(solver)] for method, solver in OURS.items()
    } | baselines(features, with_graphlearning=with_graphlearning)
    for n_labels in (1, 5):
        draws = [draw(labels, n_labels, seed) for seed in range(N_DRAWS)]
        for method, variants in contestants.items():
            if methods is not None and method not in methods:
                continue
            kept = folder / f"{name}-{n_labels}-{method}.json"
            if not kept.exists():
                result = run(variants, features, labels, draws)
                result = {"set": name, "labels_per_class": n_labels, "method": method} | result
                write_whole(kept, json.dumps(result).encode())
            result = json.loads(kept.read_text())
            print(name, n_labels, method, f"{result['accuracy']:.4f}", flush=True)
            yield result


def run(
    variants: list[Contestant], features: Floats, labels: Floats, draws: list[Floats]
) -> dict[str, Any]:
    """Choose a variant on the first draws if there are several, and run it on all."""
    which = 0
    if len(variants) > 1:
        trials = [
            np.mean(
                [
                    judge(variant(features, partly), labels, partly)["accuracy"]
                    for partly in draws[:N_TRIAL_DRAWS]
                ]
            )
            for variant in variants
        ]
        which = int(np.argmax(trials))
    found = [judge(variants[which](features, partly), labels, partly) for partly in draws]
    accuracies = [one["accuracy"] for one in found]
    result: dict[str, Any] = {
        "accuracy": float(np.mean(accuracies)),
        "ci95": half_interval(np.array(accuracies)),
        "accuracies": accuracies,
        "variant": which,
    }
    if all("calibration_error" in one for one in found):
        result["calibration_error"] = float(np.mean([one["calibration_error"] for one in found]))
    return result


Place = tuple[str, str, int]
"""A method, a set, and how many labels per class."""


def place(result: dict[str, Any]) -> Place:
    """Return where in the table a result stands."""
    return result["method"], result["set"], result["labels_per_class"]


def print_table(results: dict[Place, dict[str, Any]], what: str) -> None:
    """Print the table of the docs, in percent; accuracies with their 95 % interval."""
    columns = [(name, n_labels) for name in SETS for n_labels in (1, 5)]
    print(f"\n| {what} (%) | " + " | ".join(f"{name}, {n}" for name, n in columns) + " |")
    print("|---" * (1 + len(columns)) + "|")
    for method in dict.fromkeys(method for method, _, _ in results):
        found = [results.get((method, *column), {}) for column in columns]
        if any(what in one for one in found):
            print(f"| {method} | " + " | ".join(_cell(one, what) for one in found) + " |")


def _cell(result: dict[str, Any], what: str) -> str:
    if what not in result:
        return "-"
    wide = f" ± {100 * result['ci95']:.1f}" if what == "accuracy" else ""
    return f"{100 * result[what]:.1f}{wide}"


def main() -> None:
    """Run what is asked for, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--methods", help="names, with semicolons between them; all if not given")
    parser.add_argument("--unfinished", type=Path, default=Path("unfinished"))
    given = parser.parse_args()
    set_threads(1)
    warnings.simplefilter("ignore", ConvergenceWarning)
    methods = None if given.methods is None else given.methods.split(";")
    results = {place(result): result for result in kept_results("few_labels")}
    for name in given.sets.split(","):
        for result in contest(name, given.unfinished, methods=methods):
            results[place(result)] = result
    write_results("few_labels", "python benchmarks/few_labels.py", list(results.values()))
    print_table(results, "accuracy")
    print_table(results, "calibration_error")


if __name__ == "__main__":
    main()
