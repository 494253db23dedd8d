import json
from pathlib import Path

import numpy as np
import pytest
import torch

from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.kernel_method import KernelDiffResNet
from diffresnet.nodes.splits import SplitProtocol
from tests.nodes.examples import clusters

DOCS = Path(__file__).parents[2] / "docs"


def test_labels_clusters_without_a_seed() -> None:
    graph = clusters()
    split = next(SplitProtocol(5, 5).splits(graph))
    solve = KernelDiffResNet().prepare(graph)
    logs = solve(split, 0)
    assert torch.equal(logs, solve(split, 1))
    probabilities = logs.exp()
    assert torch.allclose(probabilities.sum(dim=1), torch.ones(graph.n_nodes), atol=1e-5)
    right = probabilities.argmax(dim=1)[split.test] == torch.from_numpy(graph.labels)[split.test]
    assert float(right.double().mean()) > 0.9


def test_without_validation_nodes() -> None:
    graph = clusters()
    split = next(SplitProtocol(5, 0).splits(graph))
    assert bool(KernelDiffResNet().prepare(graph)(split, 0).isfinite().all())


def test_no_links_and_rows_of_zeros() -> None:
    features = np.eye(30, 8, dtype=np.float32)  # most rows are zero
    graph = NodeGraph.from_arrays(np.zeros((30, 30)), features, np.arange(30) % 2)
    split = next(SplitProtocol(3, 3).splits(graph))
    assert bool(KernelDiffResNet().prepare(graph)(split, 0).isfinite().all())


def test_a_graph_with_a_hub() -> None:
    graph = clusters()
    links = graph.adjacency.toarray()
    links[0], links[:, 0] = 3, 3
    links[0, 0] = 0
    hub = NodeGraph.from_arrays(10 * links, graph.features, graph.labels)
    split = next(SplitProtocol(5, 5).splits(hub))
    assert bool(torch.isfinite(KernelDiffResNet(step_size=2.0).prepare(hub)(split, 0)).all())
    with pytest.raises(ValueError, match="`strengths and ridges` must be some numbers"):
        KernelDiffResNet(strengths=())
    with pytest.raises(ValueError, match="`ridges` must be a finite positive number, got -1"):
        KernelDiffResNet(ridges=(1.0, -1.0))
    with pytest.raises(ValueError, match="`strengths` must be in rising order"):
        KernelDiffResNet(strengths=(5.0, 2.0))


def test_the_results_of_the_docs_are_of_these_settings() -> None:
    kept = json.loads((DOCS / "results" / "nodes_kernel.json").read_text())
    assert {one["settings"] for one in kept["results"].values()} == {repr(KernelDiffResNet())}
