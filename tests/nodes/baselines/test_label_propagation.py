import numpy as np
import torch

from diffresnet.nodes.baselines.label_propagation import LabelPropagation
from diffresnet.nodes.splits import Split
from tests.nodes.baselines.accuracy import accuracy_of
from tests.nodes.baselines.loops import GRAPH, N_NODES, normalized


def test_labels_clusters() -> None:
    assert accuracy_of(LabelPropagation()) > 0.85


def test_equals_loops() -> None:
    method = LabelPropagation(alpha=0.8, n_rounds=3)
    split = Split(np.array([0, 1]), np.array([2]), np.array([3]), (0,))
    found = method.prepare(GRAPH)(split, 0)
    targets = [[0.0, 0.0] for _ in range(N_NODES)]
    targets[0][0] = targets[1][1] = 1.0  # nodes 0 and 1 have the labels 0 and 1
    now = targets
    for _ in range(3):
        now = [
            [
                0.8 * sum(normalized(node, other) * now[other][k] for other in range(N_NODES))
                + 0.2 * targets[node][k]
                for k in range(2)
            ]
            for node in range(N_NODES)
        ]
    for node in range(N_NODES - 1):  # the last one is not reached
        expected = torch.tensor(now[node]) / sum(now[node])
        assert torch.allclose(found[node].exp(), expected, atol=1e-5)
    assert found[N_NODES - 1].tolist() == [found.min().item()] * 2
