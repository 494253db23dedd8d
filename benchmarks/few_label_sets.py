"""The sets of the contest of few labels, and the ways in which labels are drawn."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from diffresnet.datasets.files import find_data_file
from diffresnet.nodes import CODE_STEPS, NodeGraph, standardize

Floats = npt.NDArray[Any]

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
    "graphs": ("cora", "amazon_photo", "texas"),
}
GRAPHS = KINDS["graphs"]
SETS = tuple(name for kind, names in KINDS.items() if kind != "graphs" for name in names)
"""The sets of points; those of `GRAPHS` are nodes with features."""

N_POINTS = 3000
"""Larger sets are cut to this number of points, drawn once."""


@dataclass(frozen=True)
class LabeledSet:
    """Features (N, d) and labels (N,) of points, and the graph if they are its nodes."""

    features: Floats
    labels: Floats
    graph: NodeGraph | None = None

    @property
    def proportions(self) -> Floats:
        """How much of all points each class has."""
        return np.bincount(self.labels) / len(self.labels)


def load(name: str, seed: int = 0) -> tuple[Floats, Floats]:
    """Return features and labels of at most `N_POINTS` points of a set, drawn with a seed."""
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
    rows = np.random.default_rng(seed).permutation(len(labels))[:N_POINTS]
    codes = np.unique(labels[rows], return_inverse=True)[1]
    return features[rows].astype(np.float32), codes.astype(np.int64)


def load_graph(name: str) -> LabeledSet:
    """Return a graph of at most `N_POINTS` nodes, and their features as 0 and 1.

    Links have no direction, no weights and no loops. Of a larger graph nodes are drawn once, with
    the links among them. The largest connected component stays.
    """
    graph = NodeGraph.from_file(find_data_file(f"graphs/{name}.npz"))
    nodes = np.random.default_rng(0).permutation(graph.n_nodes)[:N_POINTS]
    graph = standardize(graph.select(np.sort(nodes)), CODE_STEPS[:-1])
    return LabeledSet(graph.features.toarray(), graph.labels, graph)


def load_cell(name: str, cell: str) -> LabeledSet:
    """Return what labels are drawn from in a cell: of "unbalanced" a part of the set."""
    if name in GRAPHS:
        return load_graph(name)
    features, labels = load(name)
    if cell != UNBALANCED:
        return LabeledSet(features, labels)
    rows = unbalance(labels)
    return LabeledSet(features[rows], labels[rows])


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


UNBALANCED = "unbalanced"
CELLS: dict[str, Callable[[Floats, int], Floats]] = {
    **{str(n_labels): per_class(n_labels) for n_labels in (1, 2, 5, 20, 100)},
    "random": draw_randomly,
    UNBALANCED: per_class(5),
    "wrong": draw_wrongly,
}
GRAPH_CELLS = ("1", "2", "5", "20", "random")


def cells_of(name: str) -> tuple[str, ...]:
    """Return the cells of a set."""
    return GRAPH_CELLS if name in GRAPHS else tuple(CELLS)
