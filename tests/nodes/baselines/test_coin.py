import torch

from diffresnet.nodes.baselines.coin import Coin, CoinNetwork
from diffresnet.nodes.training import NodeSchedule
from tests.nodes.baselines.accuracy import accuracy_of
from tests.nodes.baselines.loops import GRAPH, LINKS, N_NODES, features, normalized


def test_learns() -> None:
    schedule = NodeSchedule(0.03, n_epochs=80)
    assert accuracy_of(Coin(0.1, 10, dropout=0.2, schedule=schedule)) > 0.7


def test_probabilities_are_diffused_as_in_a_loop() -> None:
    torch.manual_seed(0)
    network, x = CoinNetwork(Coin(step_size=0.2, n_steps=3), GRAPH).eval(), features()
    hidden = network.first(x)
    now = network.last(hidden + network.middle(hidden).relu()).softmax(dim=1)
    for _ in range(3):
        rows = list[torch.Tensor]()
        for i in range(N_NODES):
            flow = torch.zeros_like(now[i])
            for j in range(N_NODES):
                flow = flow + normalized(i, j) * (now[j] - now[i])
            rows.append(now[i] + 0.2 * flow)
        now = torch.stack(rows)
    found = network(x, LINKS).exp()
    assert torch.allclose(found, now, atol=1e-5)
    assert torch.allclose(found.sum(dim=1), torch.ones(N_NODES), atol=1e-5)
