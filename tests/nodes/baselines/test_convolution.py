import pytest
import torch
from torch import Tensor

from diffresnet.nodes.baselines.convolution import (
    TITLES,
    Convolution,
    Kind,
    MaxPoolLayer,
    MeanLayer,
)
from tests.nodes.baselines.accuracy import SHORT, accuracy_of
from tests.nodes.baselines.loops import LINKS, N_FEATURES, N_NODES, features, neighbors


@pytest.mark.parametrize("kind", list(TITLES))
def test_learns(kind: Kind) -> None:
    assert accuracy_of(Convolution(kind, dropout=0.4, schedule=SHORT)) > 0.85


def within_one(row: Tensor) -> Tensor:
    return row / row.norm() if row.norm() > 1 else row


def test_mean_layer_equals_loops() -> None:
    torch.manual_seed(0)
    layer, x = MeanLayer(N_FEATURES, 3), 5 * features()
    found = layer(x, LINKS.edges)
    for node in range(N_NODES):
        mean = sum(x[other] for other in neighbors(node)) / len(neighbors(node))
        expected = layer.near.weight @ mean + layer.own.weight @ x[node] + layer.own.bias
        assert torch.allclose(found[node], within_one(expected), atol=1e-6)
    assert bool((found.norm(dim=1) <= 1 + 1e-6).all())


def test_max_pool_layer_equals_loops() -> None:
    torch.manual_seed(0)
    layer, x = MaxPoolLayer(N_FEATURES, 3, 5), features()
    found = layer(x, LINKS.edges)
    for node in range(N_NODES):
        projected = [(layer.pool.weight @ x[other]).relu() for other in neighbors(node)]
        largest = torch.stack(projected).amax(dim=0)
        expected = layer.near.weight @ largest + layer.own.weight @ x[node] + layer.own.bias
        assert torch.allclose(found[node], within_one(expected), atol=1e-6)


def test_settings() -> None:
    assert Convolution("gat").name == "GAT"
    with pytest.raises(ValueError, match="Convolution: `kind` must be one of 'gcn'"):
        Convolution("cnn")  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="`n_layers` must be at least 2"):
        Convolution(n_layers=1)
