import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import torch
from scipy import sparse

from diffresnet import DiffResNetClassifier
from diffresnet.graph.graph_objects import as_adjacency

LINKS = [(0, 1, 2.0), (1, 2, 0.5), (2, 2, 3.0)]
WANTED = [[0, 2, 0, 0], [2, 0, 0.5, 0], [0, 0.5, 3, 0], [0, 0, 0, 0]]


def networkx_graph() -> Any:
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph()
    graph.add_nodes_from("abcd")
    graph.add_weighted_edges_from([("abcd"[i], "abcd"[j], weight) for i, j, weight in LINKS])
    return graph


def igraph_graph() -> Any:
    igraph = pytest.importorskip("igraph")
    graph = igraph.Graph(4, [link[:2] for link in LINKS])
    graph.es["weight"] = [link[2] for link in LINKS]
    return graph


def geometric_graph() -> Any:
    data = pytest.importorskip("torch_geometric.data")
    both = [*LINKS, *((j, i, weight) for i, j, weight in LINKS if i != j)]
    ends = torch.tensor([link[:2] for link in both]).T
    weights = torch.tensor([link[2] for link in both])
    return data.Data(edge_index=ends, edge_weight=weights, num_nodes=4)


@pytest.mark.parametrize("make", [networkx_graph, igraph_graph, geometric_graph])
def test_every_library_gives_the_same_weights(make: Any) -> None:
    found = as_adjacency("fit", "graph", make())
    assert isinstance(found, sparse.csr_array)
    assert found.toarray().tolist() == WANTED


def test_links_without_weights_have_one() -> None:
    networkx, igraph = pytest.importorskip("networkx"), pytest.importorskip("igraph")
    data = pytest.importorskip("torch_geometric.data")
    ring = networkx.to_numpy_array(networkx.cycle_graph(5))
    ends = torch.from_numpy(np.argwhere(ring).T)
    for graph in (
        networkx.cycle_graph(5),
        igraph.Graph.Ring(5),
        data.Data(edge_index=ends, num_nodes=5),
        data.Data(edge_index=ends, edge_attr=torch.rand(10, 3), num_nodes=5),
        data.Data(edge_index=ends, edge_attr=torch.ones(10, 1), num_nodes=5),
    ):
        assert (as_adjacency("fit", "graph", graph).toarray() == ring).all()


def test_directed_and_parallel_links() -> None:
    networkx, igraph = pytest.importorskip("networkx"), pytest.importorskip("igraph")
    wanted = [[0, 2], [0, 0]]
    several = networkx.MultiDiGraph([(0, 1), (0, 1)])
    assert as_adjacency("fit", "graph", several).toarray().tolist() == wanted
    several = igraph.Graph(2, [(0, 1), (0, 1)], directed=True)
    assert as_adjacency("fit", "graph", several).toarray().tolist() == wanted


def test_derived_classes_and_what_is_no_graph() -> None:
    networkx = pytest.importorskip("networkx")

    class Mine(networkx.Graph): ...

    assert as_adjacency("fit", "graph", Mine([(0, 1)])).toarray().tolist() == [[0, 1], [1, 0]]
    for matrix in (np.eye(2), sparse.eye_array(2), torch.eye(2), [[0, 1], [1, 0]]):
        assert as_adjacency("fit", "graph", matrix) is matrix


def test_what_is_wrong_is_one_sentence() -> None:
    networkx, igraph = pytest.importorskip("networkx"), pytest.importorskip("igraph")
    graph = networkx.Graph()
    with pytest.raises(ValueError, match=r"fit: `graph` must be a networkx\.Graph with nodes and"):
        as_adjacency("fit", "graph", graph)
    graph = igraph.Graph(2, [(0, 1)])
    graph.es["weight"] = ["much"]
    with pytest.raises(ValueError, match=r"igraph\.Graph .* Pass its adjacency matrix instead\."):
        as_adjacency("fit", "graph", graph)


def test_the_classifier_takes_them() -> None:
    networkx, igraph = pytest.importorskip("networkx"), pytest.importorskip("igraph")
    club = networkx.karate_club_graph()
    truth = [club.nodes[node]["club"] for node in club]
    y = [truth[0], *[None] * 32, truth[33]]
    model = DiffResNetClassifier().fit(None, y, graph=club)
    matrix = DiffResNetClassifier().fit(None, y, graph=networkx.to_scipy_sparse_array(club))
    assert np.array_equal(model.label_distributions_, matrix.label_distributions_)
    assert (model.transduction_ == truth).mean() > 0.9
    same = DiffResNetClassifier().fit(None, y, graph=igraph.Graph.from_networkx(club))
    assert np.allclose(same.label_distributions_, matrix.label_distributions_, atol=1e-6)


def test_no_library_is_imported() -> None:
    program = "import diffresnet.graph.graph_objects, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)  # noqa: PLW1510, S603
    assert not {"networkx", "igraph", "torch_geometric"} & set(done.stdout.split())
