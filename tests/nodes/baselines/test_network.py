import numpy as np
import torch

from diffresnet.nodes.baselines.network import links_of
from diffresnet.nodes.graph import NodeGraph


def test_links() -> None:
    links = links_of(NodeGraph.from_arrays([[1, 1, 0], [1, 0, 0], [0, 0, 0]], None, [0, 1, 0]))
    assert links.edges.tolist() == [[0, 1], [1, 0]]
    expected = np.array([[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]])
    assert torch.allclose(links.normalized.to_dense(), torch.from_numpy(expected).float())
