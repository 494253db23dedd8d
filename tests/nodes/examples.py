"""Small graphs: clusters of nodes that are linked, with features that hint at them."""

import numpy as np
import pytest

from diffresnet.datasets.files import find_data_file
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.standardization import standardize

SETTINGS = {"cora": (0.25, 20, 0.25), "citeseer": (0.2, 20, 0.35)}


def clusters(n_each: int = 40, n_classes: int = 3, seed: int = 0) -> NodeGraph:
    """Return a graph that is easy: ten links within a class for one between two."""
    random = np.random.default_rng(seed)
    labels = np.repeat(np.arange(n_classes), n_each)
    n_nodes = len(labels)
    same = labels[:, None] == labels
    links = random.random((n_nodes, n_nodes)) < np.where(same, 0.2, 0.02)
    words = random.random((n_nodes, 4 * n_classes)) < 0.1
    words[np.arange(n_nodes), 4 * labels + random.integers(0, 4, n_nodes)] = True
    return standardize(NodeGraph.from_arrays(links, words, labels))


def citation_graph(name: str) -> NodeGraph:
    """Return Cora or Citeseer as the authors' code sees it, or skip the test."""
    try:
        path = find_data_file(f"graphs/{name}.npz")
    except FileNotFoundError as error:
        pytest.skip(str(error))
    return standardize(NodeGraph.from_file(path))
