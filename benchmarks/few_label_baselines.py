"""The baselines of the contest of few labels, each with the variants that it may choose from.

A variant takes features, and labels with -1 for unknown ones, and returns scores of all points.
"""

from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.semi_supervised import LabelPropagation, LabelSpreading, SelfTrainingClassifier
from sklearn.svm import SVC

from diffresnet.nodes import KernelDiffResNet, NodeGraph, Split
from few_label_sets import LabeledSet
from graph_baselines import RandomWalk, cut_ssl, interface_laplace

Floats = npt.NDArray[Any]
Contestant = Callable[[Floats, Floats], Floats]
"""From features, and labels with -1 for unknown ones, to the scores of all points."""

Weights = Callable[[], Any]
"""A graph, made when it is first asked for."""

TOLD = "(told the proportions)"
"""The end of the name of a method that gets the true class proportions: it has no rank."""

MOST_CLASSES = 20
"""Of Poisson-MBO: with more, graphlearning's search for class volumes takes a minute per draw."""


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
            # A point whose neighbors are all equal to it has a Gaussian of width 0: 0 / 0 is 1.
            with np.errstate(invalid="ignore"):
                weights = graphlearning.weightmatrix.knn(self.features, n_neighbors)
            weights.data[np.isnan(weights.data)] = 1
            self.made[key] = weights
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
    name: str, options: dict[str, Any], weights: Weights, proportions: Floats | None = None
) -> Contestant:
    """Return a method of graphlearning on a graph; `proportions` are what it is told."""

    def run(_: Floats, partly: Floats) -> Floats:
        graphlearning: Any = import_module("graphlearning")
        rows = np.flatnonzero(partly >= 0)
        classes, codes = np.unique(partly[rows], return_inverse=True)
        told = {} if proportions is None else {"class_priors": proportions[classes]}
        model = getattr(graphlearning.ssl, name)(weights(), **options, **told)
        scores = np.asarray(model.fit(rows, codes))
        return spread_columns(np.nan_to_num(scores), classes, int(partly.max()) + 1)

    return run


def walk_on(weights: Weights) -> RandomWalk:
    """Return the random walk of a graph."""
    return RandomWalk(weights())


def learn_interface(
    walk: Callable[[], RandomWalk], n_steps: int, n_hops: int, training_error: float
) -> Contestant:
    """Return Interface Laplace Learning on a graph."""

    def run(_: Floats, partly: Floats) -> Floats:
        scores = interface_laplace(
            walk(), partly, n_steps=n_steps, n_hops=n_hops, training_error=training_error
        )
        return spread_columns(scores, np.unique(partly[partly >= 0]), int(partly.max()) + 1)

    return run


def cut_graph(weights: Weights, proportions: Floats) -> Contestant:
    """Return CutSSL on a graph."""

    def run(_: Floats, partly: Floats) -> Floats:
        classes = np.unique(partly[partly >= 0])
        scores = cut_ssl(weights(), partly, proportions[classes])
        return spread_columns(scores, classes, int(partly.max()) + 1)

    return run


def solve_nodes(graph: NodeGraph) -> Contestant:
    """Return our kernel for nodes, without validation nodes."""
    prepare = cache(partial(KernelDiffResNet().prepare, graph))

    def run(_: Floats, partly: Floats) -> Floats:
        none = np.empty(0, dtype=np.int64)
        split = Split(np.flatnonzero(partly >= 0), none, none, ())
        return prepare()(split, 0).exp().numpy()

    return run


def feature_baselines(choices: tuple[Floats, ...]) -> dict[str, list[Contestant]]:
    """Return methods that use no graph, each with its choice of the features."""

    def on(which: Floats, run: Contestant) -> Contestant:
        return lambda _, partly: run(which, partly)

    def each(run: Contestant) -> list[Contestant]:
        return [on(one, run) for one in choices]

    def regression(inverse_ridge: float = 1.0) -> LogisticRegression:
        return LogisticRegression(C=inverse_ridge, max_iter=300)

    return {
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


def spreading_baselines(kernels: list[Weights]) -> dict[str, list[Contestant]]:
    """Return scikit-learn's methods, each with its choice of the graphs."""
    return {
        model.__name__: [partial(spread, model, kernel) for kernel in kernels]
        for model in (LabelPropagation, LabelSpreading)
    }


def weight_baselines(
    weights: list[Weights], few: list[Weights], proportions: Floats
) -> dict[str, list[Contestant]]:
    """Return methods on weighted graphs, each with its choice of them.

    Args:
        weights: the graphs.
        few: those that the slower methods choose from.
        proportions: of the classes, for methods that are told them.
    """
    walks = [cache(partial(walk_on, one)) for one in few]
    found = {
        "Interface Laplace": [
            learn_interface(*one) for one in product(walks, (100, 1000), (0, 2), (0.03, 0.3))
        ],
        f"CutSSL {TOLD}": [cut_graph(one, proportions) for one in few],
    }
    for title, name, options in (
        ("laplace", "laplace", {}),
        ("laplace, mean shift", "laplace", {"mean_shift": True}),
        ("WNLL", "laplace", {"reweighting": "wnll"}),
        ("PWLL", "laplace", {"reweighting": "poisson"}),
        ("poisson", "poisson", {}),
    ):
        found[f"graphlearning {title}"] = [learn_on_graph(name, options, one) for one in weights]
    if len(proportions) <= MOST_CLASSES:
        variants = [learn_on_graph("poisson_mbo", {}, one, proportions) for one in few]
        found[f"graphlearning Poisson-MBO {TOLD}"] = variants
    return found


def baselines(here: LabeledSet, *, with_graphlearning: bool) -> dict[str, list[Contestant]]:
    """Return the variants of each baseline; on nodes, those that need a graph have the given one.

    Args:
        here: the points.
        with_graphlearning: whether it is installed; methods on its graphs need it.
    """
    choices = (here.features, centered(here.features), standardized(here.features))
    found = feature_baselines(choices)
    if here.graph is None:
        graphs = [Graphs(one) for one in choices]
        kernels: list[Weights] = [
            partial(graph.sparse, n_neighbors) for graph in graphs for n_neighbors in (7, 10, 20)
        ]
        kernels += [partial(graphs[1].gaussian, gamma) for gamma in (10.0, 50.0)]
        weights: list[Weights] = [partial(graph.learning, n) for graph in graphs for n in (10, 20)]
        few = weights[::2]
    else:
        links = sparse.csr_matrix(here.graph.adjacency, dtype=np.float64)
        loops = sparse.csr_matrix(sparse.eye(links.shape[0]))
        kernels, weights = [lambda: links + loops], [lambda: links]
        few = weights
        found["node kernel"] = [solve_nodes(here.graph)]
    found |= spreading_baselines(kernels)
    return found | weight_baselines(weights, few, here.proportions) if with_graphlearning else found
