"""Graphs of other libraries as sparse matrices; none of these libraries is imported here."""

import sys
from typing import Any

import numpy as np
from scipy import sparse

from diffresnet._support.checks import fail
from diffresnet._support.words import reason_of

WEIGHT = "weight"
"""What networkx and igraph call the weights of links."""


def as_adjacency(function: str, argument: str, graph: Any) -> Any:
    """Return the (N, N) weights of a graph of networkx, igraph or PyTorch Geometric.

    Points are in the order of its nodes. Links without a weight have 1, parallel links add up, and
    links of an undirected graph go both ways. Anything else, such as a matrix, is returned as it
    is.

    Args:
        function: which takes the graph, for messages.
        argument: its argument, for messages.
        graph: any of these, or a matrix.

    Raises:
        ValueError: if the graph has no nodes, or its weights are no numbers.

    Examples:
        >>> import networkx
        >>> as_adjacency("fit", "graph", networkx.path_graph(3)).toarray().tolist()
        [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    libraries = [kind.__module__.split(".")[0] for kind in type(graph).__mro__]
    library = next((name for name in libraries if name in MAKERS), None)
    if library is None or not hasattr(graph, NODES[library]):
        return graph
    try:
        return MAKERS[library](graph)
    except (TypeError, ValueError, AttributeError, KeyError, IndexError, RuntimeError) as error:
        kind = f"{library}.{type(graph).__name__}"
        got, remedy = f"another ({reason_of(error)})", "Pass its adjacency matrix instead."
        fail(function, argument, f"a {kind} with nodes and numbers as weights", got, remedy)


def _from_networkx(graph: Any) -> sparse.csr_array:
    if not len(graph):
        raise ValueError("it has no nodes")
    to_matrix: Any = sys.modules["networkx"].to_scipy_sparse_array
    return to_matrix(graph, weight=WEIGHT, dtype=np.float64, format="csr")


def _from_igraph(graph: Any) -> sparse.csr_array:
    has_weights = WEIGHT in graph.edge_attributes()
    weights = graph.es[WEIGHT] if has_weights else [1.0] * graph.ecount()
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2).T
    values = np.array(weights, dtype=np.float64)
    if not graph.is_directed():
        several = ends[0] != ends[1]
        ends = np.concatenate([ends, ends[::-1, several]], axis=1)
        values = np.concatenate([values, values[several]])
    return _assemble(ends, values, graph.vcount())


def _from_geometric(graph: Any) -> sparse.csr_array:
    ends = graph.edge_index.detach().cpu().numpy()
    given = graph.get("edge_weight")
    if given is None:
        given = graph.get("edge_attr")
    if given is None or (given.ndim > 1 and given.shape[1] != 1):  # features of links
        values = np.ones(ends.shape[1])
    else:
        values = given.detach().cpu().double().numpy().ravel()
    return _assemble(ends, values, graph.num_nodes)


def _assemble(ends: Any, values: Any, n_nodes: int) -> sparse.csr_array:
    if not n_nodes:
        raise ValueError("it has no nodes")
    return sparse.csr_array(sparse.coo_array((values, tuple(ends)), shape=(n_nodes, n_nodes)))


MAKERS = {
    "networkx": _from_networkx,
    "igraph": _from_igraph,
    "torch_geometric": _from_geometric,
}
"""By the name of the library."""
NODES = {"networkx": "nodes", "igraph": "vcount", "torch_geometric": "edge_index"}
"""What tells a graph from other objects of the library."""
