from dataclasses import replace

import numpy as np
import pytest
import torch

from diffresnet.nodes.baselines.mlp import Mlp
from diffresnet.nodes.channel_method import ChannelDiffResNet
from diffresnet.nodes.prediction import predict_nodes
from diffresnet.nodes.training import NodeSchedule
from tests.nodes.examples import clusters


def test_unlabeled_nodes_get_probabilities() -> None:
    graph = clusters()
    hidden = np.arange(graph.n_nodes) % 4 > 0
    labels = np.where(hidden, -1, graph.labels)
    given = replace(graph, labels=labels)
    found = predict_nodes(given, ChannelDiffResNet(), needs_validation=False)
    assert torch.allclose(found.sum(dim=1), torch.ones(graph.n_nodes).double())
    right = found.argmax(dim=1).numpy()[hidden] == graph.labels[hidden]
    assert right.mean() > 0.9
    network = Mlp(schedule=NodeSchedule(n_epochs=3))
    trained = predict_nodes(given, network, needs_validation=True)
    assert torch.equal(trained, predict_nodes(given, network, needs_validation=True))


def test_what_cannot_be_predicted() -> None:
    graph = clusters()
    with pytest.raises(ValueError, match="some nodes with a label and some without, got 120 of"):
        predict_nodes(graph, ChannelDiffResNet(), needs_validation=False)
    labels = np.full(120, -1)
    labels[[0, 40, 80]] = graph.labels[[0, 40, 80]]
    single = replace(graph, labels=labels)
    with pytest.raises(ValueError, match="two labels of each class or more, one of them to stop"):
        predict_nodes(single, Mlp(), needs_validation=True)
    assert bool(predict_nodes(single, ChannelDiffResNet(), needs_validation=False).isfinite().all())
