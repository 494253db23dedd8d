"""A small graph, and the neighbors of each node, for layers that are compared with loops."""

import numpy as np
import torch
from torch import Tensor

from diffresnet.nodes.baselines.network import Links
from diffresnet.nodes.graph import NodeGraph

N_NODES, N_FEATURES = 7, 4
ADJACENCY = np.triu(np.random.default_rng(0).random((N_NODES, N_NODES)) < 0.5, 1)
ADJACENCY[6] = ADJACENCY[:, 6] = False  # a node without a neighbor
GRAPH = NodeGraph.from_arrays(
    ADJACENCY | ADJACENCY.T,
    np.random.default_rng(1).random((N_NODES, N_FEATURES)),
    [0, 1] * 3 + [0],
)
LINKS = Links.of(GRAPH)


def features() -> Tensor:
    return torch.from_numpy(GRAPH.features.toarray())


def neighbors(node: int) -> list[int]:
    """Return the neighbors of a node, and the node itself."""
    linked = np.flatnonzero((ADJACENCY | ADJACENCY.T)[node]).tolist()
    return sorted([*linked, node])


def normalized(row: int, column: int) -> float:
    """Return an entry of D^-1/2 (A + I) D^-1/2."""
    if column not in neighbors(row):
        return 0.0
    return float((len(neighbors(row)) * len(neighbors(column))) ** -0.5)
