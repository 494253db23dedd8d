import torch
from torch import Tensor

from diffresnet.nodes.baselines.filters import Gpr, GprNetwork, Sgc, SgcNetwork, Sign, SignNetwork
from diffresnet.nodes.training import NodeSchedule
from tests.nodes.baselines.accuracy import accuracy_of
from tests.nodes.baselines.loops import GRAPH, LINKS, N_NODES, features, normalized


def smoothed(x: Tensor, n_steps: int) -> Tensor:
    for _ in range(n_steps):
        rows = [sum(normalized(i, j) * x[j] for j in range(N_NODES)) for i in range(N_NODES)]
        x = torch.stack(rows)  # pyright: ignore[reportArgumentType]
    return x


def test_learn() -> None:
    quick = NodeSchedule(0.05, n_epochs=80)
    for method in (Sgc(schedule=quick), Sign(schedule=quick), Gpr(schedule=quick)):
        assert accuracy_of(method) > 0.8, method.name


def test_sgc_equals_loops() -> None:
    torch.manual_seed(0)
    network, x = SgcNetwork(Sgc(n_steps=3), GRAPH), features()
    expected = smoothed(x, 3) @ network.first.weight.mT + network.bias
    assert torch.allclose(network(x, LINKS), expected, atol=1e-5)


def test_sign_equals_loops() -> None:
    torch.manual_seed(0)
    network, x = SignNetwork(Sign(n_steps=2, width=5), GRAPH).eval(), features()
    parts = [layer(smoothed(x, power)) for power, layer in enumerate(network.powers)]
    expected = network.last(torch.cat(parts, dim=1).relu())
    assert torch.allclose(network(x, LINKS), expected, atol=1e-5)


def test_gpr_equals_loops() -> None:
    torch.manual_seed(0)
    network, x = GprNetwork(Gpr(n_steps=2, teleport=0.2), GRAPH).eval(), features()
    assert torch.allclose(network.weights, torch.tensor([0.2, 0.16, 0.64]))
    start = network.last(network.first(x).relu())
    expected = sum(network.weights[k] * smoothed(start, k) for k in range(3))
    assert torch.allclose(network(x, LINKS), expected, atol=1e-5)  # pyright: ignore[reportArgumentType]
