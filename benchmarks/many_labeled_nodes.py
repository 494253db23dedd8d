"""Where half of the nodes are labeled: is Diff-ResNet with channels ever behind MLP or GCN?

Real features of at most 3,000 points, and links that are made: at random, mostly within a class, or
from each class to two others. Half of the nodes are labeled, a quarter are validation nodes. Beside
the baselines of `diffresnet nodes`, a multilayer perceptron of scikit-learn sees the features,
alone and with the mean of the neighbors' beside them.
"""

import argparse
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.neural_network import MLPClassifier

from diffresnet.measuring.statistics import difference_of
from diffresnet.nodes import NodeGraph, Split, make_method
from diffresnet.nodes.catalog import KERNEL
from diffresnet.nodes.reading import parse_steps, standardized
from few_label_sets import load
from timing import set_threads, write_results

SETS = ("mnist", "cifar10", "trec", "stackoverflow", "banking77")
LINKS = ("random", "same", "others")
N_LINKS = 3
"""Of a node, on average."""

NOISE = 0.5
"""The part of the links that are random where the others are not."""

Integers = npt.NDArray[np.int64]


def make_links(labels: Integers, kind: str, random: np.random.Generator) -> sparse.csr_array:
    """Draw links between nodes of these classes."""
    n_nodes, n_classes = len(labels), int(labels.max()) + 1
    left = random.integers(0, n_nodes, n_nodes * N_LINKS // 2)
    shift = np.where(random.random(len(left)) < 0.5, 1, n_classes // 2)
    wanted = labels[left] if kind == "same" else (labels[left] + shift) % n_classes
    is_random = random.random(len(left)) < (1 if kind == "random" else NOISE)
    rows = [np.flatnonzero(labels == one) for one in range(n_classes)]
    right = np.array([random.choice(rows[one]) for one in wanted])
    right = np.where(is_random, random.integers(0, n_nodes, len(left)), right)
    links = sparse.csr_array((np.ones(len(left)), (left, right)), shape=(n_nodes, n_nodes))
    return sparse.csr_array(links + links.T)


def draw_split(n_nodes: int, seed: int) -> Split:
    """Divide nodes at random: a half, a quarter, a quarter."""
    order = np.random.default_rng(seed).permutation(n_nodes)
    train, validation, test = np.split(order, [n_nodes // 2, 3 * n_nodes // 4])
    return Split(np.sort(train), np.sort(validation), np.sort(test), (seed,))


def perceptron(features: npt.NDArray[np.float32], graph: NodeGraph, split: Split) -> float:
    """Return the accuracy of scikit-learn's perceptron."""
    network = MLPClassifier((64,), alpha=1e-3, max_iter=100, random_state=split.seeds[0])
    network.fit(features[split.train], graph.labels[split.train])
    return float(network.score(features[split.test], graph.labels[split.test]))


def main() -> None:
    """Run all sets and links, and keep the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=3)
    given = parser.parse_args()
    set_threads(1)
    results: list[dict[str, Any]] = []
    for name in SETS:
        points, labels = load(name)
        for kind in LINKS:
            links = make_links(labels, kind, np.random.default_rng(0))
            loaded = NodeGraph.from_arrays(links, points, labels)
            graph = standardized(loaded, parse_steps(None, loaded))
            own = graph.features.toarray()
            own *= 10 / np.linalg.norm(own, axis=1, keepdims=True).clip(min=1e-9)
            near = graph.adjacency @ own / graph.adjacency.sum(axis=1).clip(min=1)[:, None]
            solvers = {one: make_method(one).prepare(graph) for one in (KERNEL, "mlp", "gcn")}
            found: dict[str, list[float]] = {}
            for seed in range(given.splits):
                split = draw_split(graph.n_nodes, seed)
                right = {
                    one: solve(split, seed).argmax(dim=1).numpy()[split.test]
                    == graph.labels[split.test]
                    for one, solve in solvers.items()
                }
                accuracies = {one: float(hits.mean()) for one, hits in right.items()}
                accuracies["perceptron"] = perceptron(own, graph, split)
                both = np.hstack([own, near]).astype(np.float32)
                accuracies["perceptron, neighbors too"] = perceptron(both, graph, split)
                for one, accuracy in accuracies.items():
                    found.setdefault(one, []).append(accuracy)
            best = max((one for one in found if one != KERNEL), key=lambda one: np.mean(found[one]))
            ahead = difference_of(np.array(found[KERNEL]), np.array(found[best])).to_json()
            results.append(
                {"set": name, "links": kind, "n_nodes": graph.n_nodes, "accuracies": found}
                | {"best_other": best, "channels_minus_it": ahead}
            )
            means = {one: round(100 * float(np.mean(all_)), 2) for one, all_ in found.items()}
            print(name, kind, means, flush=True)
    write_results(
        "many_labeled_nodes",
        f"python benchmarks/many_labeled_nodes.py --splits {given.splits}",
        results,
    )


if __name__ == "__main__":
    main()
