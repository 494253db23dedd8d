import pytest
import torch

from diffresnet.nn.node_diff_resnet import NodeDiffResNet
from diffresnet.nodes.diffresnet_method import TrainedDiffResNet
from diffresnet.nodes.splits import SplitProtocol
from diffresnet.nodes.training import NodeSchedule, train_nodes
from tests.nodes.examples import clusters


def test_name_and_settings() -> None:
    assert TrainedDiffResNet().name == "Diff-ResNet"
    assert TrainedDiffResNet(n_steps=0).name == "No-Diff-ResNet"
    with pytest.raises(ValueError, match="TrainedDiffResNet: `n_steps` must be"):
        TrainedDiffResNet(n_steps=-1)


def test_without_steps_training_on_the_split_alone_is_training_on_the_graph() -> None:
    graph, schedule = clusters(), NodeSchedule(n_epochs=20)
    split = next(SplitProtocol(5, 5, n_splits=1, n_inits=1).splits(graph))
    torch.manual_seed(3)
    before = torch.random.get_rng_state()
    found = TrainedDiffResNet(5.0, n_steps=0, schedule=schedule).prepare(graph)(split, 7)
    assert torch.equal(torch.random.get_rng_state(), before)

    def make() -> NodeDiffResNet:
        return NodeDiffResNet(
            graph.features, graph.n_classes, graph.operator, step_size=0.25, n_steps=0, dropout=0.25
        )

    expected = train_nodes(make, graph, split, 7, schedule)
    assert expected.n_epochs == 20
    assert torch.allclose(found, expected.scores(), atol=1e-4)


def test_a_device_is_no_setting() -> None:
    assert "device" not in repr(TrainedDiffResNet())
    message = "TrainedDiffResNet: `device` must be one that torch has, got 'nowhere'"
    with pytest.raises(ValueError, match=message):
        TrainedDiffResNet(device="nowhere")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
@pytest.mark.parametrize("n_steps", [0, 4])
def test_training_on_a_device(n_steps: int) -> None:
    graph, schedule = clusters(), NodeSchedule(n_epochs=20)
    split = next(SplitProtocol(5, 5, n_splits=1, n_inits=1).splits(graph))
    there, here = (
        TrainedDiffResNet(n_steps=n_steps, schedule=schedule, device=device).prepare(graph)
        for device in ("cuda", "cpu")
    )
    assert torch.allclose(there(split, 7), here(split, 7), atol=1e-2)
