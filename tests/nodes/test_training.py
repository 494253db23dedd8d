import pytest
import torch

from diffresnet.nn.node_diff_resnet import NodeDiffResNet
from diffresnet.nodes.diffresnet_method import TrainedDiffResNet
from diffresnet.nodes.splits import SplitProtocol
from diffresnet.nodes.training import NodeSchedule, train_nodes
from tests.nodes.examples import clusters

PROTOCOL = SplitProtocol(5, 5, n_splits=1, n_inits=2)


def test_learns_the_same_from_the_same_seed() -> None:
    graph = clusters()
    split = next(PROTOCOL.splits(graph))
    torch.manual_seed(3)
    before = torch.random.get_rng_state()
    solve = TrainedDiffResNet(0.2, 4, 0.2, NodeSchedule(learning_rate=0.1, n_epochs=100)).prepare(
        graph
    )
    one, same, other = (solve(split, seed) for seed in (1, 1, 2))
    assert torch.equal(one, same)
    assert not torch.equal(one, other)
    assert torch.equal(torch.random.get_rng_state(), before)
    right = one.argmax(dim=1)[split.test] == torch.from_numpy(graph.labels)[split.test]
    assert float(right.double().mean()) > 0.9


def test_stops() -> None:
    graph = clusters()
    split = next(PROTOCOL.splits(graph))

    def make() -> NodeDiffResNet:
        return NodeDiffResNet(
            graph.features, graph.n_classes, graph.operator, step_size=0.2, n_steps=0, dropout=0
        )

    assert train_nodes(make, graph, split, 0, NodeSchedule(n_epochs=7)).n_epochs == 7
    by_loss = NodeSchedule(n_epochs=500, stop_by_loss=True, patience=5)
    assert train_nodes(make, graph, split, 0, by_loss).n_epochs < 500
    unlearning = NodeSchedule(learning_rate=30.0, patience=3)
    assert train_nodes(make, graph, split, 0, unlearning).n_epochs < 500


def test_wrong_settings() -> None:
    with pytest.raises(ValueError, match="NodeSchedule: `n_epochs` must be at least 1"):
        NodeSchedule(n_epochs=-3)
