"""Networks of fixed or learned filters of the graph: SGC, SIGN and GPR-GNN."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout

from diffresnet.nodes.baselines.network import SCHEDULE, Links, glorot, prepare_network
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import Solve
from diffresnet.nodes.training import NodeSchedule

SGC_SCHEDULE = NodeSchedule(0.2, 1e-4, stop_by_loss=True)


@dataclass(frozen=True)
class Sgc:
    """S^k X W: one linear layer on features that were smoothed k times (Wu and others, 2019).

    Attributes:
        n_steps: k.
        dropout: of the features.
        schedule: of training.
    """

    n_steps: int = 2
    dropout: float = 0.0
    schedule: NodeSchedule = SGC_SCHEDULE

    name = "SGC"
    is_random = True

    def prepare(self, graph: NodeGraph) -> Solve:
        """Take the features and the links."""
        return prepare_network(self, graph, SgcNetwork)


class SgcNetwork(nn.Module):
    """The network of these settings; the layer first, which is the same and costs less."""

    def __init__(self, method: Sgc, graph: NodeGraph) -> None:
        super().__init__()
        self.first = glorot(graph.features.shape[1], graph.n_classes, bias=False)
        self.bias = nn.Parameter(torch.zeros(graph.n_classes))
        self.decayed, self.n_steps = self.first, method.n_steps

    def forward(self, x: Tensor, links: Links) -> Tensor:
        """Return the logits (N, K)."""
        x = self.first(x)
        for _ in range(self.n_steps):
            x = links.normalized @ x
        return x + self.bias


@dataclass(frozen=True)
class Sign:
    """relu [X W_0, S X W_1, ..., S^k X W_k] W: a layer for each power (Frasca and others, 2020).

    Attributes:
        n_steps: k.
        width: of each W.
        dropout: before each layer.
        schedule: of training.
    """

    n_steps: int = 3
    width: int = 64
    dropout: float = 0.5
    schedule: NodeSchedule = SCHEDULE

    name = "SIGN"
    is_random = True

    def prepare(self, graph: NodeGraph) -> Solve:
        """Take the features and the links."""
        return prepare_network(self, graph, SignNetwork)


class SignNetwork(nn.Module):
    """The network of these settings."""

    def __init__(self, method: Sign, graph: NodeGraph) -> None:
        super().__init__()
        n_powers, self.dropout = method.n_steps + 1, method.dropout
        sizes = graph.features.shape[1], method.width
        self.powers = nn.ModuleList([glorot(*sizes, bias=False) for _ in range(n_powers)])
        self.last = glorot(n_powers * method.width, graph.n_classes)
        self.decayed = self.powers

    def forward(self, x: Tensor, links: Links) -> Tensor:
        """Return the logits (N, K)."""
        parts: list[Tensor] = []
        for power, layer in enumerate(self.powers):
            part = layer(x)
            for _ in range(power):
                part = links.normalized @ part
            parts.append(part)
        hidden = torch.cat(parts, dim=1).relu()
        return self.last(dropout(hidden, self.dropout, self.training))


@dataclass(frozen=True)
class Gpr:
    """sum_k g_k S^k H of a two-layer network's output H, all g_k learned (Chien and others, 2021).

    Negative g_k make filters that sharpen differences, for links between classes.

    Attributes:
        width: of the hidden layer.
        n_steps: the highest power.
        teleport: a, where g_k starts as a (1 - a)^k, the last as (1 - a)^k.
        dropout: before each layer.
        schedule: of training.
    """

    width: int = 64
    n_steps: int = 10
    teleport: float = 0.1
    dropout: float = 0.5
    schedule: NodeSchedule = SCHEDULE

    name = "GPR-GNN"
    is_random = True

    def prepare(self, graph: NodeGraph) -> Solve:
        """Take the features and the links."""
        return prepare_network(self, graph, GprNetwork)


class GprNetwork(nn.Module):
    """The network of these settings."""

    def __init__(self, method: Gpr, graph: NodeGraph) -> None:
        super().__init__()
        self.dropout = method.dropout
        self.first = glorot(graph.features.shape[1], method.width)
        self.last = glorot(method.width, graph.n_classes)
        self.decayed = self.first
        powers = (1 - method.teleport) ** torch.arange(method.n_steps + 1.0)
        self.weights = nn.Parameter(torch.cat([method.teleport * powers[:-1], powers[-1:]]))

    def forward(self, x: Tensor, links: Links) -> Tensor:
        """Return the logits (N, K)."""
        now = self.last(dropout(self.first(x).relu(), self.dropout, self.training))
        found = self.weights[0] * now
        for weight in self.weights[1:]:
            now = links.normalized @ now
            found = found + weight * now
        return found
