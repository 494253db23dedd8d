import pytest
import torch
from torch import Tensor

from diffresnet.nodes.baselines.network import Links
from diffresnet.nodes.deep_diffresnet import DeepDiffResNet, DeepNetwork
from tests.nodes.baselines.accuracy import SHORT, accuracy_of
from tests.nodes.examples import clusters


@pytest.mark.parametrize("n_layers", [2, 8, 32])
def test_learns(n_layers: int) -> None:
    assert accuracy_of(DeepDiffResNet(n_layers, strength=1.0, schedule=SHORT)) > 0.8


def test_wrong_settings() -> None:
    with pytest.raises(ValueError, match="DeepDiffResNet: `n_layers` must be at least 2"):
        DeepDiffResNet(1)
    with pytest.raises(ValueError, match="DeepDiffResNet: `dropout` must be below 1"):
        DeepDiffResNet(dropout=1.5)


def test_time_of_the_blocks() -> None:
    """With no time for convection, depth changes nothing but the steps of diffusion."""
    graph = clusters()
    x, links = torch.from_numpy(graph.features.toarray()), Links.of(graph)
    found: list[Tensor] = []
    for n_layers, convection in ((2, 1.0), (5, 0.0), (5, 1.0)):
        torch.manual_seed(0)
        method = DeepDiffResNet(n_layers, strength=1.0, n_steps=8, convection=convection)
        network = DeepNetwork(method, graph).eval()
        found.append(network(x, links))
    assert torch.allclose(found[0], found[1], atol=1e-5)
    assert not torch.allclose(found[0], found[2], atol=1e-3)
