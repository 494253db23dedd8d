import torch

from diffresnet.nodes.baselines.appnp import Appnp, Network
from diffresnet.nodes.training import NodeSchedule
from tests.nodes.baselines.accuracy import accuracy_of
from tests.nodes.baselines.loops import GRAPH, LINKS, N_NODES, features, normalized


def test_learns() -> None:
    schedule = NodeSchedule(learning_rate=0.05, n_epochs=100)
    assert accuracy_of(Appnp(dropout=0.2, schedule=schedule)) > 0.6


def test_propagation_equals_loops() -> None:
    torch.manual_seed(0)
    method = Appnp(n_steps=3, teleport=0.2)
    network, x = Network(method, GRAPH).eval(), features()
    start = network.last(network.first(x).relu())
    now = start
    for _ in range(3):
        rows = [
            sum(normalized(node, other) * now[other] for other in range(N_NODES))
            for node in range(N_NODES)
        ]
        now = torch.stack([0.8 * row + 0.2 * start[node] for node, row in enumerate(rows)])
    assert torch.allclose(network(x, LINKS), now, atol=1e-5)
