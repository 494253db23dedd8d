"""Networks whose layers are a differential equation over the graph: CGNN, GDE and GRAND."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout

from diffresnet._support.settings import Positive, check_settings
from diffresnet.nodes.baselines.network import SCHEDULE, Links, glorot, prepare_network
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import Solve
from diffresnet.nodes.training import NodeSchedule

Kind: TypeAlias = Literal["cgnn", "gde", "grand"]
TITLES: dict[Kind, str] = {"cgnn": "CGNN", "gde": "GDE", "grand": "GRAND"}
STEP = 1.0
"""Of the classical Runge-Kutta method."""


@dataclass(frozen=True)
class Flow:
    """A linear encoder, dh/dt = f(h) over the graph for some time, and a linear decoder.

    Attributes:
        kind: ``"cgnn"``: (a/2 (I + S) - I) h + h(0) with a learned a for every node (Xhonneux and
            others); ``"gde"``: a graph convolution with tanh (Poli and others); ``"grand"``:
            a (A - I) h + b h(0) with attention A between the first states and learned a and b
            (Chamberlain and others, GRAND-l).
        width: of the state.
        time: how long.
        dropout: before the encoder and the decoder.
        schedule: of training.
    """

    kind: Kind = "grand"
    width: int = 64
    time: Positive = 8.0
    dropout: float = 0.5
    schedule: NodeSchedule = SCHEDULE

    is_random = True

    __post_init__ = check_settings

    @property
    def name(self) -> str:
        """A name for tables."""
        return TITLES[self.kind]

    def prepare(self, graph: NodeGraph) -> Solve:
        """Take the features and the links."""
        return prepare_network(self, graph, _Network)


CHOSEN: dict[Kind, Flow] = {
    "cgnn": Flow("cgnn", time=20.0, schedule=NodeSchedule(0.01, 5e-4, stop_by_loss=True)),
    "gde": Flow("gde", time=2.0),
    "grand": Flow("grand"),
}
"""The settings that were best, of a few, on validation nodes of Cora."""


class _Network(nn.Module):
    def __init__(self, method: Flow, graph: NodeGraph) -> None:
        super().__init__()
        self.method = method
        self.first = glorot(graph.features.shape[1], method.width)
        self.last = glorot(method.width, graph.n_classes)
        self.decayed = self.first
        fields: Any = {"cgnn": CgnnField, "gde": GdeField, "grand": GrandField}
        self.field = fields[method.kind](method, graph)

    def forward(self, x: Tensor, links: Links) -> Tensor:
        from torchdiffeq import odeint  # noqa: PLC0415

        first = self.first(x)
        self.field.begin(first, links)
        times = torch.tensor([0.0, self.method.time])
        options = {"step_size": min(STEP, self.method.time)}
        path: Any = odeint(self.field, first, times, method="rk4", options=options)
        return self.last(dropout(path[-1].relu(), self.method.dropout, self.training))


class CgnnField(nn.Module):
    """f(h) = (a/2 (I + S) - I) h + h(0), with a = sigmoid of one learned number a node."""

    def __init__(self, _: Flow, graph: NodeGraph) -> None:
        super().__init__()
        self.mixing = nn.Parameter(torch.full((graph.n_nodes, 1), 3.0))

    def begin(self, first: Tensor, links: Links) -> None:
        """Take the state at the start, and the links."""
        self.first, self.step = first, links.normalized

    def forward(self, _: Tensor, state: Tensor) -> Tensor:
        """Return dh/dt."""
        half = self.mixing.sigmoid() / 2
        return half * (state + self.step @ state) - state + self.first


class GdeField(nn.Module):
    """f(h) = tanh(S (h W' + b)) - h."""

    def __init__(self, method: Flow, _: NodeGraph) -> None:
        super().__init__()
        self.linear = nn.Linear(method.width, method.width)

    def begin(self, _: Tensor, links: Links) -> None:
        """Take the links."""
        self.step = links.normalized

    def forward(self, _: Tensor, state: Tensor) -> Tensor:
        """Return dh/dt."""
        return (self.step @ self.linear(state)).tanh() - state


class GrandField(nn.Module):
    """f(h) = a (A - I) h + b h(0), with A = softmax over neighbors of q_i . k_j / sqrt(d)."""

    def __init__(self, method: Flow, _: NodeGraph) -> None:
        super().__init__()
        self.rate, self.source_rate = nn.Parameter(torch.zeros(1)), nn.Parameter(torch.zeros(1))
        self.query = nn.Linear(method.width, method.width)
        self.key = nn.Linear(method.width, method.width)

    def begin(self, first: Tensor, links: Links) -> None:
        """Compute the attention: it stays what it is at the start."""
        from torch_geometric.utils import softmax  # noqa: PLC0415

        self.start = first
        n_nodes, width = first.shape
        loops = torch.arange(n_nodes).expand(2, -1)
        self.source, self.target = torch.cat([links.edges, loops], dim=1)
        queries, keys = self.query(first), self.key(first)
        scores = (queries[self.target] * keys[self.source]).sum(dim=1) / width**0.5
        self.weights = softmax(scores, self.target, num_nodes=n_nodes).unsqueeze(1)

    def forward(self, _: Tensor, state: Tensor) -> Tensor:
        """Return dh/dt."""
        arriving = self.weights * state[self.source]
        moved = torch.zeros_like(state).index_add(0, self.target, arriving) - state
        return self.rate.sigmoid() * moved + self.source_rate * self.start
