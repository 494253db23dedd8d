"""What the networks that we compare with have in common."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
import torch
from scipy import sparse
from torch import Tensor, nn
from torch.nn.functional import dropout

from diffresnet._support.checks import check_probability
from diffresnet._support.extras import needs_extra
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import NodeMethod, Solve
from diffresnet.nodes.splits import Split
from diffresnet.nodes.standardization import standardize
from diffresnet.nodes.training import NodeSchedule, train_nodes

SCHEDULE = NodeSchedule(0.01, 0.005, stop_by_loss=True)
"""What several of these networks are trained with."""


@dataclass(frozen=True)
class Links:
    """The links of a graph, as networks want them.

    Attributes:
        edges: (2, E) from and to, both directions, without loops.
        weights: (E,) of these. GAT, GraphSAGE and GRAND do not look at them.
        normalized: (N, N) sparse, D^-1/2 (A + I) D^-1/2 with the degrees D of A + I.
    """

    edges: Tensor
    weights: Tensor
    normalized: Tensor

    @classmethod
    def of(cls, graph: NodeGraph) -> "Links":
        """Take the links of a graph."""
        entries = standardize(graph, ("undirected", "without-loops")).adjacency.tocoo()
        edges = torch.from_numpy(np.stack([entries.row, entries.col]).astype(np.int64))
        return cls(edges, torch.from_numpy(entries.data), graph.operator.weights)


class Inputs:
    """Features (N, F), as they are and with dropout, which only looks at those that are not 0.

    The largest feature of each node becomes 1, so that words which were divided by their sum are 0
    and 1 again, as in the benchmark that most of these networks were tuned for.
    """

    def __init__(self, features: sparse.csr_array, dropout: float) -> None:
        largest = abs(features).max(axis=1).toarray().reshape(-1, 1)
        scaled = sparse.csr_array(features.multiply(1 / np.where(largest > 0, largest, 1)))
        entries = scaled.tocoo()
        self.plain = torch.from_numpy(scaled.toarray())
        self.dropout, self.values = dropout, torch.from_numpy(entries.data)
        self.places = torch.from_numpy(entries.row.astype(np.int64) * features.shape[1])
        self.places += torch.from_numpy(entries.col)
        self.room = torch.zeros_like(self.plain)

    def dropped(self) -> Tensor:
        """Return the features with dropout, by torch's random numbers, until the next call."""
        self.room.view(-1)[self.places] = dropout(self.values, self.dropout)
        return self.room


class PlainNetwork(nn.Module):
    """A network whose training and evaluation share nothing but the parameters.

    Args:
        body: from features (N, F), of which some were dropped, and links to logits (N, K); its part
            `decayed` has weight decay.
        inputs: the features.
        links: of the graph.
    """

    def __init__(self, body: nn.Module, inputs: Inputs, links: Links) -> None:
        super().__init__()
        self.body, self.inputs, self.links = body, inputs, links

    def decayed(self) -> list[Tensor]:
        """Return the parameters of the part of the body that has weight decay."""
        return list(self.body.decayed.parameters())  # pyright: ignore[reportCallIssue, reportArgumentType, reportAttributeAccessIssue]

    def hidden(self) -> Tensor:
        """Return nothing: there is no first part in common."""
        return torch.empty(0)

    def train_scores(self, hidden: Tensor, random: np.random.Generator) -> Tensor:
        """Return the logits (N, K), with dropout by torch's random numbers."""
        del hidden, random
        return self.train().body(self.inputs.dropped(), self.links)

    def test_scores(self, hidden: Tensor) -> Tensor:
        """Return the logits (N, K), without dropout."""
        del hidden
        return self()

    def forward(self) -> Tensor:
        """Return the logits (N, K), without dropout."""
        return self.eval().body(self.inputs.plain, self.links)


def glorot(n_in: int, n_out: int, *, bias: bool = True) -> nn.Linear:
    """Return a linear layer that is initialized as these networks are."""
    layer = nn.Linear(n_in, n_out, bias=bias)
    nn.init.xavier_uniform_(layer.weight)
    if bias:
        nn.init.zeros_(layer.bias)
    return layer


class Settings(NodeMethod, Protocol):
    """What the settings of a network have in common."""

    @property
    def dropout(self) -> float:
        """Before each layer."""
        ...

    @property
    def schedule(self) -> NodeSchedule:
        """Of training."""
        ...


Method = TypeVar("Method", bound=Settings)


def prepare_network(
    method: Method, graph: NodeGraph, body: Callable[[Method, NodeGraph], nn.Module]
) -> Solve:
    """Return what trains a network on a split; `body` draws its parameters."""
    check_probability(method.name, "dropout", method.dropout)
    inputs, links = Inputs(graph.features, method.dropout), Links.of(graph)

    def make() -> PlainNetwork:
        with needs_extra(method.name, "graphs"):
            return PlainNetwork(body(method, graph), inputs, links)

    def solve(split: Split, seed: int) -> Tensor:
        return train_nodes(make, graph, split, seed, method.schedule).scores()

    return solve
