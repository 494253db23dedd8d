from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from diffresnet.nodes.baselines.correct_and_smooth import CorrectAndSmooth
from diffresnet.nodes.baselines.mlp import Mlp
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import Solve
from diffresnet.nodes.splits import Split
from diffresnet.nodes.training import NodeSchedule
from tests.nodes.baselines.accuracy import accuracy_of
from tests.nodes.baselines.loops import GRAPH, N_NODES, normalized

SPLIT = Split(np.array([0, 1]), np.array([2]), np.array([3]), (0,))
Rows = list[list[float]]


@dataclass(frozen=True)
class Fixed:
    """Scores that know nothing of the graph."""

    name = "fixed"
    is_random = False

    def prepare(self, graph: NodeGraph) -> Solve:
        def solve(_: Split, __: int) -> Tensor:
            return torch.linspace(-1, 1, 2 * graph.n_nodes).reshape(-1, 2).sin()

        return solve


def spread(start: Rows, alpha: float, n_rounds: int) -> Rows:
    now = start
    for _ in range(n_rounds):
        now = [
            [
                alpha * sum(normalized(node, other) * now[other][k] for other in range(N_NODES))
                + (1 - alpha) * start[node][k]
                for k in range(2)
            ]
            for node in range(N_NODES)
        ]
    return now


def test_equals_loops() -> None:
    method = CorrectAndSmooth(Fixed(), alpha_errors=0.7, alpha_labels=0.6, n_rounds=3)
    found = method.prepare(GRAPH)(SPLIT, 0)
    now: Rows = Fixed().prepare(GRAPH)(SPLIT, 0).softmax(dim=1).tolist()
    known = {0: [1.0, 0.0], 1: [0.0, 1.0]}  # nodes 0 and 1 have the labels 0 and 1
    errors = [
        [known[node][k] - now[node][k] if node in known else 0.0 for k in range(2)]
        for node in range(N_NODES)
    ]
    size = sum(abs(error) for node in known for error in errors[node]) / len(known)
    carried = spread(errors, 0.7, 3)
    for node in range(N_NODES):
        total = sum(abs(one) for one in carried[node])
        for k in range(2):
            now[node][k] += size * carried[node][k] / total if total else 0.0
    for node, label in known.items():
        now[node] = label
    expected = torch.tensor(spread(now, 0.6, 3)).clamp(1e-12)
    assert torch.allclose(found.exp(), expected, atol=1e-5)


def test_the_graph_mends_a_network() -> None:
    base = Mlp(schedule=NodeSchedule(0.05, n_epochs=80))
    method = CorrectAndSmooth(base)
    assert method.name == "MLP, correct and smooth"
    assert method.is_random
    assert accuracy_of(method) > accuracy_of(base)
