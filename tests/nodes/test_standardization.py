import numpy as np
import pytest

from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.standardization import standardize
from tests.nodes.examples import citation_graph

LINKS = np.array([[1, 3, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]])
GRAPH = NodeGraph.from_arrays(LINKS, [[2.0, 1.0], [0.0, 0.0], [0.0, 4.0], [1.0, 1.0]], [0, 1, 0, 1])


def test_each_step_by_itself() -> None:
    links = standardize(GRAPH, ["undirected"]).adjacency.toarray()
    assert np.array_equal(links, np.maximum(LINKS, LINKS.T))
    assert np.array_equal(standardize(GRAPH, ["binary"]).adjacency.toarray(), LINKS > 0)
    without = standardize(GRAPH, ["without-loops"]).adjacency.toarray()
    assert np.array_equal(without, LINKS - np.diag([1, 0, 0, 0]))
    assert standardize(GRAPH, ["largest-component"]).labels.tolist() == [0, 1, 0]
    binary = standardize(GRAPH, ["binary-features"]).features.toarray()
    assert binary.tolist() == [[1, 1], [0, 0], [0, 1], [1, 1]]
    rows = standardize(GRAPH, ["row-features"]).features.toarray()
    assert np.allclose(rows, [[2 / 3, 1 / 3], [0, 0], [0, 1], [0.5, 0.5]])
    assert np.array_equal(GRAPH.adjacency.toarray(), LINKS)  # not changed


def test_a_graph_without_links() -> None:
    graph = standardize(NodeGraph.from_arrays(np.zeros((3, 3)), None, [0, 1, 0]))
    assert graph.n_nodes == 1


def test_unknown_step() -> None:
    with pytest.raises(ValueError, match="standardize: `steps` must be one of 'undirected'"):
        standardize(GRAPH, ["directed"])  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("name", "n_nodes", "n_links"), [("cora", 2485, 5069), ("citeseer", 2110, 3668)]
)
def test_sizes_of_citation_graphs(name: str, n_nodes: int, n_links: int) -> None:
    graph = citation_graph(name)
    assert (graph.n_nodes, graph.n_links) == (n_nodes, n_links)
