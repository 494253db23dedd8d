"""Which method labels the rest best, given few labels, of embeddings, pixels and tables?

Labels are drawn in several ways: 1, 2, 5, 20 or 100 per class (at most half of a class), at random
(5 K in all), 5 per class where class sizes fall from 1 to 0.1, and 20 per class of which 20 % are
wrong. Every baseline has its choice: features as they are, standardized, or centered and scaled to
length one, and of each method the settings that are best on the first draws. Our classifier has its
defaults. The methods of `graphlearning` (with `annoy`) take part where it is installed; one that is
told the class proportions is marked so. A stopped run goes on where it was; what was run takes its
place in the kept results.
"""

import argparse
import json
import math
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
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.semi_supervised import LabelPropagation, LabelSpreading, SelfTrainingClassifier
from sklearn.svm import SVC

from diffresnet._support.writing import write_whole
from diffresnet.datasets.files import find_data_file
from diffresnet.estimators import DiffResNetClassifier
from diffresnet.measuring.statistics import half_interval
from timing import kept_results, set_threads, write_results

Floats = npt.NDArray[Any]
Contestant = Callable[[Floats, Floats], Floats]
"""From features, and labels with -1 for unknown ones, to the scores of all points."""

FILES = {
    "cifar10": "features/cifar10_mobilenetv2",
    "trec": "features/trec_minilm",
    "banking77": "features/banking77_minilm",
    "stackoverflow": "features/stackoverflow_minilm",
    "movie_reviews": "features/movie_reviews_minilm",
    "fashion_vae": "features/fashion_vae",
    "umist": "images/umist_faces",
    "letter": "tables/letter",
    "pendigits": "tables/pendigits",
    "segment": "tables/segment",
    "vowel": "tables/vowel",
    "spambase": "tables/spambase",
    "ionosphere": "tables/ionosphere",
    "satimage": "tables/satimage",
}
KINDS = {
    "embeddings": ("cifar10", "trec", "banking77", "stackoverflow", "movie_reviews", "fashion_vae"),
    "pixels": ("mnist", "umist", "digits"),
    "tables": ("letter", "pendigits", "segment", "vowel", "spambase", "ionosphere", "satimage"),
    "raw tables": ("wine", "breast cancer"),
}
SETS = tuple(name for names in KINDS.values() for name in names)
N_POINTS = 3000
"""Larger sets are cut to this number of points, drawn once."""

OURS = "mixture (ours)"
LARGEST_LOSS = 0.015
"""What we may be below the best baseline of a cell, beyond the interval of the difference."""

N_DRAWS = 20
N_TRIAL_DRAWS = 2
"""The best variant of a baseline is found on this number of draws."""


def load(name: str) -> tuple[Floats, Floats]:
    """Return features and labels of at most `N_POINTS` points of a set."""
    if name in FILES:
        arrays = np.load(find_data_file(f"{FILES[name]}.npz"))
        features, labels = arrays["features"], arrays["labels"]
    elif name == "mnist":
        arrays = np.load(find_data_file("images/mnist.npz"))
        features, labels = arrays["x_test"].reshape(10_000, -1) / 255, arrays["y_test"]
    else:
        makers = {"digits": load_digits, "wine": load_wine, "breast cancer": load_breast_cancer}
        bunch: Any = makers[name]()
        features, labels = bunch.data, bunch.target
    rows = np.random.default_rng(0).permutation(len(labels))[:N_POINTS]
    codes = np.unique(labels[rows], return_inverse=True)[1]
    return features[rows].astype(np.float32), codes.astype(np.int64)


def draw(labels: Floats, n_labels: int, seed: int) -> Floats:
    """Return labels of which `n_labels` per class, at most half, are given, the others -1."""
    generator = np.random.default_rng(seed)
    partly = np.full(len(labels), -1)
    for one in np.unique(labels):
        own = generator.permutation(np.flatnonzero(labels == one))
        partly[own[: min(n_labels, max(1, len(own) // 2))]] = one
    return partly


def draw_randomly(labels: Floats, seed: int) -> Floats:
    """Return labels of which five times the number of classes are given, drawn at random."""
    generator = np.random.default_rng(seed)
    partly = np.full(len(labels), -1)
    while len(np.unique(partly)) < 3:
        chosen = generator.permutation(len(labels))[: 5 * (int(labels.max()) + 1)]
        partly = np.full(len(labels), -1)
        partly[chosen] = labels[chosen]
    return partly


def draw_wrongly(labels: Floats, seed: int) -> Floats:
    """Return 20 labels per class, of which a fifth are of another class."""
    partly, generator = draw(labels, 20, seed), np.random.default_rng(seed)
    rows = np.flatnonzero(partly >= 0)
    wrong = generator.permutation(rows)[: len(rows) // 5]
    n_classes = int(labels.max()) + 1
    partly[wrong] = (partly[wrong] + generator.integers(1, n_classes, len(wrong))) % n_classes
    return partly


def unbalance(labels: Floats) -> Floats:
    """Return the rows of points whose class sizes fall from 1 to 0.1, in a random order."""
    n_classes = int(labels.max()) + 1
    kept = np.random.default_rng(0).permutation(0.1 ** (np.arange(n_classes) / (n_classes - 1)))
    parts = [
        own[: max(12, int(len(own) * kept[one]))]
        for one, own in ((one, np.flatnonzero(labels == one)) for one in range(n_classes))
    ]
    return np.sort(np.concatenate(parts))


def per_class(n_labels: int) -> Callable[[Floats, int], Floats]:
    """Return how labels are drawn with the same number of each class."""
    return lambda labels, seed: draw(labels, n_labels, seed)


CELLS: dict[str, Callable[[Floats, int], Floats]] = {
    **{str(n_labels): per_class(n_labels) for n_labels in (1, 2, 5, 20, 100)},
    "random": draw_randomly,
    "unbalanced": per_class(5),
    "wrong": draw_wrongly,
}


def centered(features: Floats) -> Floats:
    """Return features without their mean, of length one."""
    moved = features - features.mean(axis=0)
    return moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-12)


def inductive(estimator: Any, features: Floats, partly: Floats) -> Floats:
    """Fit on the labeled points only."""
    is_labeled = partly >= 0
    fitted = estimator.fit(features[is_labeled], partly[is_labeled])
    return spread_columns(fitted.predict_proba(features), fitted.classes_, int(partly.max()) + 1)


def nearest_five(features: Floats, partly: Floats) -> Floats:
    """Return the votes of the five nearest labels, or of all if there are fewer."""
    n_neighbors = min(5, int((partly >= 0).sum()))
    return inductive(KNeighborsClassifier(n_neighbors), features, partly)


def machine(inverse_ridge: float, features: Floats, partly: Floats) -> Floats:
    """Return the scores of a support vector machine with a Gaussian kernel."""
    is_labeled = partly >= 0
    fitted = SVC(C=inverse_ridge).fit(features[is_labeled], partly[is_labeled])
    scores = fitted.decision_function(features)
    scores = np.stack([-scores, scores], axis=1) if scores.ndim == 1 else scores
    return spread_columns(scores, fitted.classes_, int(partly.max()) + 1)


def spread_columns(scores: Floats, classes: Floats, n_classes: int) -> Floats:
    """Return scores with a column for every class, also those without a label."""
    found = np.full((len(scores), n_classes), scores.min() - 1 if scores.min() < 0 else 0.0)
    found[:, classes] = scores
    return found


def standardized(features: Floats) -> Floats:
    """Return features of mean 0 and deviation 1."""
    deviations = features.std(axis=0)
    return (features - features.mean(axis=0)) / np.where(deviations > 0, deviations, 1)


def nearest_prototype(features: Floats, partly: Floats) -> Floats:
    """Return minus the squared distances to the means of the labeled points."""
    classes = np.unique(partly[partly >= 0])
    means = np.stack([features[partly == one].mean(axis=0) for one in classes])
    scores = 2 * features @ means.T - np.square(means).sum(axis=1)
    return spread_columns(scores, classes, int(partly.max()) + 1)


def transductive(make: Callable[[], Any], features: Floats, partly: Floats) -> Floats:
    """Fit on all points, of which most have no label."""
    fitted = make().fit(features, partly)
    return spread_columns(fitted.predict_proba(features), fitted.classes_, int(partly.max()) + 1)


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

    fitted = model(kernel=graph, max_iter=30).fit(features, partly)
    return spread_columns(fitted.label_distributions_, fitted.classes_, int(partly.max()) + 1)


def learn_on_graph(
    name: str, options: dict[str, Any], graphs: Graphs, n_neighbors: int
) -> Contestant:
    """Return a method of graphlearning on one of the graphs."""

    def run(_: Floats, partly: Floats) -> Floats:
        graphlearning: Any = import_module("graphlearning")
        rows = np.flatnonzero(partly >= 0)
        classes, codes = np.unique(partly[rows], return_inverse=True)
        model = getattr(graphlearning.ssl, name)(graphs.learning(n_neighbors), **options)
        scores = np.asarray(model.fit(rows, codes))
        return spread_columns(np.nan_to_num(scores), classes, int(partly.max()) + 1)

    return run


def baselines(features: Floats, *, with_graphlearning: bool) -> dict[str, list[Contestant]]:
    """Return the variants of each baseline; each takes features and partial labels."""
    both = (features, centered(features), standardized(features))

    def on(which: Floats, run: Contestant) -> Contestant:
        return lambda _, partly: run(which, partly)

    def each(run: Contestant) -> list[Contestant]:
        return [on(one, run) for one in both]

    def regression(inverse_ridge: float = 1.0) -> LogisticRegression:
        return LogisticRegression(C=inverse_ridge, max_iter=300)

    found: dict[str, list[Contestant]] = {
        "logistic regression": [
            one
            for inverse_ridge in (0.1, 1.0, 10.0, 100.0)
            for one in each(partial(inductive, regression(inverse_ridge)))
        ],
        "k-NN": each(partial(inductive, KNeighborsClassifier(1))) + each(nearest_five),
        "SVM": each(partial(machine, 1.0)) + each(partial(machine, 10.0)),
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
            ("laplace, mean shift", "laplace", {"mean_shift": True}),
            ("WNLL", "laplace", {"reweighting": "wnll"}),
            ("PWLL", "laplace", {"reweighting": "poisson"}),
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


class Ours:
    """Our classifier as it comes; its graph is made once, and its labels are changed."""

    def __init__(self) -> None:
        self.model: DiffResNetClassifier | None = None

    def __call__(self, features: Floats, partly: Floats) -> Floats:
        """Fit, or forget all labels and take these: both give the same."""
        if self.model is None:
            self.model = DiffResNetClassifier().fit(features, partly)
        else:
            self.model.update_labels(np.arange(len(partly)), partly)
        found = self.model.label_distributions_
        return spread_columns(found, self.model.classes_, int(partly.max()) + 1)


def contest(
    name: str, cells: list[str], folder: Path, n_draws: int, methods: list[str] | None
) -> Iterable[dict[str, Any]]:
    """Yield the results of each method on a set."""
    with_graphlearning = find_spec("graphlearning") is not None
    made: dict[bool, dict[str, list[Contestant]]] = {}
    for cell in cells:
        features, labels = load(name)
        is_cut = cell == "unbalanced"
        if is_cut:
            rows = unbalance(labels)
            features, labels = features[rows], labels[rows]
        if is_cut not in made:
            rivals = baselines(features, with_graphlearning=with_graphlearning)
            made[is_cut] = {OURS: [Ours()], **rivals}
        draws = [CELLS[cell](labels, seed) for seed in range(n_draws)]
        for method, variants in made[is_cut].items():
            if methods is not None and method not in methods:
                continue
            kept = folder / f"{name}-{cell}-{method}.json"
            if not kept.exists():
                result = run(variants, features, labels, draws)
                result = {"set": name, "labels": cell, "method": method} | result
                write_whole(kept, json.dumps(result).encode())
            result = json.loads(kept.read_text())
            print(name, cell, method, f"{result['accuracy']:.4f}", flush=True)
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


Place = tuple[str, str, str]
"""A method, a set, and how labels were drawn."""


def place(result: dict[str, Any]) -> Place:
    """Return where in the table a result stands."""
    return result["method"], result["set"], result["labels"]


def compare(results: dict[Place, dict[str, Any]]) -> None:
    """Print how our classifier stands in every cell, and over all of them."""
    cells = dict.fromkeys((name, cell) for _, name, cell in results)
    lost, ranks, gaps, ahead = 0, [], [], 0
    print("\n| set | labels | ours (%) | best baseline (%) | difference | calibration error (%) |")
    print("|---" * 6 + "|")
    for name, cell in cells:
        here = {m: one for (m, n, c), one in results.items() if (n, c) == (name, cell)}
        ours = here.pop(OURS, None)
        if ours is None or not here:
            continue
        best, rival = max(here.items(), key=lambda pair: pair[1]["accuracy"])
        paired = np.array(ours["accuracies"]) - np.array(rival["accuracies"])
        gap, wide = float(paired.mean()), half_interval(paired)
        lost += gap + wide < -LARGEST_LOSS
        ahead += gap >= 0
        gaps.append(gap)
        ranks.append(1 + sum(one["accuracy"] > ours["accuracy"] for one in here.values()))
        error = 100 * ours.get("calibration_error", math.nan)
        print(
            f"| {name} | {cell} | {100 * ours['accuracy']:.1f} | {best} "
            f"{100 * rival['accuracy']:.1f} | {100 * gap:+.1f} ± {100 * wide:.1f} | {error:.1f} |"
        )
    print(
        f"\n{len(gaps)} cells: at or above the best baseline in {ahead}, more than "
        f"{100 * LARGEST_LOSS:.1f} points below it beyond the interval in {lost}; "
        f"mean difference {100 * np.mean(gaps):+.2f}, mean rank {np.mean(ranks):.2f}."
    )


def main() -> None:
    """Run what is asked for, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--cells", default=",".join(CELLS))
    parser.add_argument("--draws", type=int, default=N_DRAWS)
    parser.add_argument("--methods", help="names, with semicolons between them; all if not given")
    parser.add_argument("--unfinished", type=Path, default=Path("unfinished"))
    given = parser.parse_args()
    set_threads(1)
    warnings.simplefilter("ignore")
    methods = None if given.methods is None else given.methods.split(";")
    results = {place(result): result for result in kept_results("few_labels")}
    for name in given.sets.split(","):
        cells = given.cells.split(",")
        for result in contest(name, cells, given.unfinished, given.draws, methods):
            results[place(result)] = result
        command = f"python benchmarks/few_labels.py --draws {given.draws}"
        write_results("few_labels", command, list(results.values()))
    compare(results)


if __name__ == "__main__":
    main()
