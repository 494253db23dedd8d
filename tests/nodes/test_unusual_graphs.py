"""Graphs that a method may meet, though those of the paper are not among them."""

import numpy as np
import pytest
import torch

from diffresnet.nodes.baselines.appnp import Appnp
from diffresnet.nodes.baselines.coin import Coin
from diffresnet.nodes.baselines.convolution import Convolution
from diffresnet.nodes.baselines.filters import Gpr
from diffresnet.nodes.baselines.flow import Flow
from diffresnet.nodes.baselines.label_propagation import LabelPropagation
from diffresnet.nodes.baselines.mlp import Mlp
from diffresnet.nodes.channel_method import ChannelDiffResNet
from diffresnet.nodes.diffresnet_method import TrainedDiffResNet
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.kernel_method import KernelDiffResNet
from diffresnet.nodes.method import NodeMethod
from diffresnet.nodes.splits import SplitProtocol
from diffresnet.nodes.standardization import standardize
from diffresnet.nodes.training import NodeSchedule
from tests.nodes.examples import clusters

SHORT = NodeSchedule(n_epochs=3)
METHODS: tuple[NodeMethod, ...] = (
    TrainedDiffResNet(0.1, 3, 0.2, SHORT),
    TrainedDiffResNet(0.1, 0, 0.2, SHORT),
    KernelDiffResNet(),
    Mlp(schedule=SHORT),
    Convolution("gcn", schedule=SHORT),
    Convolution("sage-mean", schedule=SHORT),
    Convolution("sage-maxpool", schedule=SHORT),
    Convolution("gat", schedule=SHORT),
    Appnp(schedule=SHORT),
    Flow("grand", schedule=SHORT),
    Flow("cgnn", schedule=SHORT),
    LabelPropagation(),
    ChannelDiffResNet(),
    Gpr(schedule=SHORT),
    Coin(schedule=SHORT),
)


def without_links() -> NodeGraph:
    graph = clusters()
    return NodeGraph.from_arrays(np.zeros((120, 120)), graph.features, graph.labels)


def with_isolated_nodes() -> NodeGraph:
    graph = clusters()
    links = graph.adjacency.toarray()
    links[:10], links[:, :10] = 0, 0
    return NodeGraph.from_arrays(links, graph.features, graph.labels)


def with_a_component_without_labels() -> NodeGraph:
    graph = clusters()
    links = graph.adjacency.toarray()
    links[:20, 20:], links[20:, :20] = 0, 0
    return NodeGraph.from_arrays(
        links, graph.features, np.where(np.arange(120) < 20, -1, graph.labels)
    )


def with_a_row_of_zeros() -> NodeGraph:
    graph = clusters()
    features = graph.features.toarray()
    features[3] = 0
    return NodeGraph.from_arrays(graph.adjacency, features, graph.labels)


def without_features() -> NodeGraph:
    graph = clusters()
    return NodeGraph.from_arrays(graph.adjacency, np.zeros((120, 2)), graph.labels)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@pytest.mark.parametrize(
    "make",
    [
        without_links,
        with_isolated_nodes,
        with_a_component_without_labels,
        with_a_row_of_zeros,
        without_features,
    ],
)
def test_scores_are_numbers(make: object, method: NodeMethod) -> None:
    graph = make() if callable(make) else None
    assert isinstance(graph, NodeGraph)
    split = next(SplitProtocol(5, 5, n_inits=1).splits(graph))
    scores = method.prepare(graph)(split, split.seeds[0])
    assert scores.shape == (120, 3)
    assert bool(torch.isfinite(scores).all())


def test_only_the_largest_component_stays() -> None:
    graph = standardize(with_isolated_nodes())
    assert graph.n_nodes == 110
    none = standardize(without_links())
    assert none.n_nodes == 1
    with pytest.raises(ValueError, match="must be 50 nodes of each class, got 1 of class '0'"):
        next(SplitProtocol().splits(none))
