"""What the networks that we compare with have in common."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from diffresnet._extras import needs_extra
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import Solve
from diffresnet.nodes.splits import Split
from diffresnet.nodes.training import NodeSchedule, train_nodes

Body = Callable[[Tensor, "Links"], Tensor]


@dataclass(frozen=True)
class Links:
    """The links of a graph, as networks want them.

    Attributes:
        edges: (2, E) from and to, both directions, without loops.
        normalized: (N, N) sparse, D^-1/2 (A + I) D^-1/2 with the degrees D of A + I.
    """

    edges: Tensor
    normalized: Tensor


class PlainNetwork(nn.Module):
    """A network whose training and evaluation share nothing but the parameters.

    Args:
        body: from features (N, F) and links to logits (N, K).
        features: (N, F).
        links: of the graph.
    """

    def __init__(self, body: nn.Module, features: Tensor, links: Links) -> None:
        super().__init__()
        self.body, self.links = body, links
        self.register_buffer("features", features, persistent=False)

    def hidden(self) -> Tensor:
        """Return nothing: there is no first part in common."""
        return torch.empty(0)

    def train_scores(self, hidden: Tensor, random: np.random.Generator) -> Tensor:
        """Return the logits (N, K), with dropout by torch's random numbers."""
        del hidden, random
        return self.train().body(self.features, self.links)

    def test_scores(self, hidden: Tensor) -> Tensor:
        """Return the logits (N, K), without dropout."""
        del hidden
        return self.eval().body(self.features, self.links)


def links_of(graph: NodeGraph) -> Links:
    """Return the links of a graph."""
    entries = graph.adjacency.tocoo()
    edges = torch.from_numpy(np.stack([entries.row, entries.col]).astype(np.int64))
    edges = edges[:, edges[0] != edges[1]]
    n_nodes = graph.n_nodes
    loops = torch.arange(n_nodes).expand(2, -1)
    both = torch.cat([edges, loops], dim=1)
    roots = torch.bincount(both[0], minlength=n_nodes).float().rsqrt()
    values = roots[both[0]] * roots[both[1]]
    with torch.sparse.check_sparse_tensor_invariants(enable=False):
        normalized = torch.sparse_coo_tensor(both, values, (n_nodes, n_nodes)).coalesce()
    return Links(edges, normalized)


def prepare_network(
    name: str, graph: NodeGraph, build: Callable[[], nn.Module], schedule: NodeSchedule
) -> Solve:
    """Return what trains a network on a split; `build` draws its parameters."""
    features, links = torch.from_numpy(graph.features.toarray()), links_of(graph)

    def make() -> PlainNetwork:
        with needs_extra(name, "graphs"):
            return PlainNetwork(build(), features, links)

    def solve(split: Split, seed: int) -> Tensor:
        return train_nodes(make, graph, split, seed, schedule).scores

    return solve
