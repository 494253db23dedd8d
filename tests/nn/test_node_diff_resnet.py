from collections.abc import Callable

import numpy as np
import pytest
import torch

from diffresnet.nn.node_diff_resnet import NodeDiffResNet
from tests.conftest import Arrays
from tests.nodes.examples import SETTINGS, citation_graph, clusters


@pytest.mark.parametrize("name", ["cora", "citeseer"])
def test_numbers_of_the_program(reference_numbers: Callable[[str], Arrays], name: str) -> None:
    numbers, graph = reference_numbers("citation_graphs.npz"), citation_graph(name)
    operator = graph.operator
    assert np.array_equal(graph.labels, numbers[f"{name}_labels"])
    sums = numbers[f"{name}_operator_row_sums"]
    assert np.allclose(operator.degrees.numpy(), sums, rtol=1e-5, atol=1e-5)
    step_size, n_steps, dropout = SETTINGS[name]
    network = NodeDiffResNet(
        graph.features,
        graph.n_classes,
        operator,
        step_size=step_size,
        n_steps=n_steps,
        dropout=dropout,
    )
    i, c = np.arange(graph.features.shape[1]), np.arange(graph.n_classes)
    first = np.cos(1.7 * i[:, None] + 0.3 * i) / np.sqrt(len(i))
    with torch.no_grad():
        network.first.weight.copy_(torch.from_numpy(first.T))
        network.first.bias.copy_(torch.from_numpy(0.01 * np.sin(i)))
        network.last.weight.copy_(torch.from_numpy(np.cos(2.3 * c[:, None] + 0.11 * i)))
        network.last.bias.copy_(torch.from_numpy(np.sin(c)))
        shared, alone = network.test_scores(network.hidden()), network()
    for logits in (shared, alone):
        assert np.abs(logits.numpy() - numbers[f"{name}_eval_logits"]).max() < 1e-5


def test_scores_diffused_or_features_diffused() -> None:
    graph = clusters()
    operator = graph.operator
    network = NodeDiffResNet(
        graph.features, graph.n_classes, operator, step_size=0.2, n_steps=5, dropout=0.0
    )
    hidden = network.hidden()
    trained = network.train_scores(hidden, np.random.default_rng(0))
    assert torch.allclose(network.test_scores(hidden), trained, atol=1e-5)
    assert torch.allclose(network(), trained, atol=1e-5)
    assert not network().requires_grad
    still = NodeDiffResNet(
        graph.features, graph.n_classes, operator, step_size=0.2, n_steps=0, dropout=0.5
    )
    hidden = still.hidden()
    assert torch.equal(still.train_scores(hidden, np.random.default_rng(0)), still.last(hidden))
