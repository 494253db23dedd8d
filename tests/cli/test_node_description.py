from dataclasses import replace

import numpy as np

from diffresnet.cli.node_description import describe_graph, describe_split
from diffresnet.nodes.splits import Split
from diffresnet.nodes.standardization import standardize
from tests.nodes.examples import clusters


def test_sizes_and_steps() -> None:
    graph = clusters()
    said = describe_graph(graph, graph, ["undirected"])
    assert said.startswith(f"120 nodes, {graph.n_links:,} links, ")
    assert said.endswith("3 classes; standardized by undirected.")
    smaller = standardize(graph.select(np.arange(100)), ["largest-component"])
    n_removed = 120 - smaller.n_nodes
    assert f"({n_removed} nodes are not in the largest component)" in describe_graph(
        graph, smaller, []
    )


def test_a_split() -> None:
    graph, nodes = clusters(), np.arange(120)
    split = Split(nodes[:41], nodes[41:42], nodes[42:], (0,))
    said = describe_split(graph, split)
    sizes = "The first split: 41 nodes to learn from, 1 node to validate, 78 nodes to test."
    assert said.startswith(sizes)
    assert "No node to learn from is of 1 class." in said  # the first two have 40 nodes each
    without = describe_split(graph, replace(split, validation=nodes[:0]))
    assert "validate" not in without
