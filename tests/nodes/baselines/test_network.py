import numpy as np
import torch

from diffresnet.nodes.baselines.network import Inputs, Links
from diffresnet.nodes.graph import NodeGraph
from tests.nodes.examples import clusters


def test_links() -> None:
    links = Links.of(NodeGraph.from_arrays([[1, 1, 0], [1, 0, 0], [0, 0, 0]], None, [0, 1, 0]))
    assert links.edges.tolist() == [[0, 1], [1, 0]]
    expected = np.array([[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]])
    assert torch.allclose(links.normalized.to_dense(), torch.from_numpy(expected).float())


def test_dropped_inputs() -> None:
    graph = clusters()
    inputs = Inputs(graph.features, 0.25)
    torch.manual_seed(0)
    first, second = inputs.dropped().clone(), inputs.dropped().clone()
    assert torch.equal(inputs.plain, torch.from_numpy(graph.features.toarray() > 0).float())
    for one in (first, second):
        shown = one != 0
        assert torch.allclose(one[shown], inputs.plain[shown] / 0.75)
        assert 0.65 < float(shown.sum() / (inputs.plain != 0).sum()) < 0.85
    assert not torch.equal(first, second)
