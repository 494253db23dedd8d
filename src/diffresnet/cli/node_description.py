"""What `diffresnet nodes` says of a graph and of its first split."""

from collections.abc import Sequence

import numpy as np

from diffresnet._support.words import count
from diffresnet.learning.labels import UNLABELED
from diffresnet.measuring.homophily import label_homophily
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.splits import Split


def describe_graph(loaded: NodeGraph, ready: NodeGraph, steps: Sequence[str]) -> str:
    """Say how large a graph is, and what was done to it."""
    sizes = f"{ready.n_nodes:,} nodes, {ready.n_links:,} links"
    content = f"{ready.features.shape[1]:,} features, {ready.n_classes} classes"
    removed = loaded.n_nodes - ready.n_nodes
    left = f" ({removed:,} nodes are not in the largest component)" if removed else ""
    return f"{sizes}, {content}{left}; standardized by {', '.join(steps) or 'nothing'}."


def describe_split(graph: NodeGraph, split: Split) -> str:
    """Say what a split has to learn from and to test, and what links of known labels are worth."""
    links = graph.adjacency.tocoo()
    classes = np.full(graph.n_nodes, UNLABELED)
    for part in (split.train, split.validation):
        classes[part] = graph.labels[part]
    found = label_homophily(links.row, links.col, links.data, classes)
    few = "Too few links join nodes of known label to say whether diffusion helps."
    parts = {"learn from": split.train, "validate": split.validation, "test": split.test}
    sizes = ", ".join(
        f"{count(len(part), 'node')} to {purpose}" for purpose, part in parts.items() if len(part)
    )
    n_absent = graph.n_classes - len(np.unique(graph.labels[split.train]))
    absent = f" No node to learn from is of {count(n_absent, 'class')}." if n_absent else ""
    return f"The first split: {sizes}.{absent} {found or few}"
