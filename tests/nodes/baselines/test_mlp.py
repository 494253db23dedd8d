import torch

from diffresnet.nodes.baselines.mlp import Layers, Mlp
from tests.nodes.baselines.accuracy import SHORT, accuracy_of
from tests.nodes.baselines.loops import GRAPH, LINKS, features


def test_learns() -> None:
    assert accuracy_of(Mlp(schedule=SHORT)) > 0.4


def test_layers_are_two_products() -> None:
    torch.manual_seed(0)
    layers, x = Layers(Mlp(), GRAPH).eval(), features()
    hidden = (x @ layers.first.weight.T + layers.first.bias).relu()
    expected = hidden @ layers.last.weight.T + layers.last.bias
    assert torch.allclose(layers(x, LINKS), expected, atol=1e-6)
