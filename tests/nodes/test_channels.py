import numpy as np
import torch
from torch.nn.functional import normalize

from diffresnet.learning.kernels import node_kernel
from diffresnet.nodes.channels import make_channels
from tests.nodes.examples import clusters


def test_channels_equal_their_formulas() -> None:
    graph = clusters(n_each=12)
    n_nodes = graph.n_nodes
    found = make_channels(graph, (2.0, 8.0), step_size=0.1, n_landmarks=n_nodes)
    assert set(found) == {"own", "low2", "low8", "near1", "near2", "near3", "high", "links"}
    links = graph.adjacency.toarray() + np.eye(n_nodes)
    roots = np.sqrt(links.sum(axis=1))
    near = torch.from_numpy(links / roots[:, None] / roots).double()
    words = normalize(torch.from_numpy(graph.features.toarray()), dim=1)
    sparse_words = graph.features.multiply(1 / graph.features.power(2).sum(axis=1)[:, None] ** 0.5)
    kernel = node_kernel(sparse_words.tocsr(), sparse_words.tocsr()).double()
    assert torch.allclose(torch.from_numpy(sparse_words.toarray()), words, atol=1e-6)
    eye = torch.eye(n_nodes).double()
    laplacian = near.sum(dim=1).diag() - near
    rows = normalize(near, dim=1)
    kernels = {
        "own": kernel,
        "near2": near @ near @ kernel @ near @ near,
        "high": (eye - near) @ kernel @ (eye - near),
        "links": rows @ rows.mT,
    }
    step = torch.linalg.matrix_power(eye - 0.1 * laplacian, 20)
    kernels["low2"] = step @ kernel @ step.mT
    center = eye - 1 / n_nodes
    for name, expected in kernels.items():
        centered = center @ expected @ center
        lengths = centered.diagonal().sqrt()
        cosines = centered / lengths.outer(lengths)
        assert torch.allclose((found[name] @ found[name].mT).double(), cosines, atol=1e-2), name
