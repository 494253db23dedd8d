"""Stacks of PyTorch Geometric's graph convolutions: GCN, GraphSAGE and GAT."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from torch import Tensor, nn
from torch.nn.functional import dropout, elu, relu

from diffresnet._support.settings import Several, check_settings
from diffresnet.nodes.baselines.network import Links, glorot, prepare_network
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import Solve
from diffresnet.nodes.training import NodeSchedule

Kind: TypeAlias = Literal["gcn", "sage-mean", "sage-maxpool", "gat"]
TITLES: dict[Kind, str] = {
    "gcn": "GCN",
    "sage-mean": "GraphSAGE-mean",
    "sage-maxpool": "GraphSAGE-maxpool",
    "gat": "GAT",
}
N_HEADS = 8
GCN_SCHEDULE = NodeSchedule(0.01, 0.001, stop_by_loss=True)


@dataclass(frozen=True)
class Convolution:
    """Layers of one kind of graph convolution, with dropout before each and relu between them.

    Attributes:
        kind: ``"gcn"`` (Kipf and Welling), ``"sage-mean"`` and ``"sage-maxpool"`` (Hamilton and
            others), or ``"gat"`` (Velickovic and others; 8 heads, one at the end).
        width: of the hidden layers.
        n_layers: at least 2.
        dropout: before each layer.
        schedule: of training.
    """

    kind: Kind = "gcn"
    width: int = 64
    n_layers: Several = 2
    dropout: float = 0.8
    schedule: NodeSchedule = GCN_SCHEDULE

    is_random = True

    __post_init__ = check_settings

    @property
    def name(self) -> str:
        """A name for tables."""
        return TITLES[self.kind]

    def prepare(self, graph: NodeGraph) -> Solve:
        """Take the features and the links."""
        return prepare_network(self, graph, _Stack)


PUBLISHED: dict[Kind, Convolution] = {
    "gcn": Convolution(),
    "sage-mean": Convolution(
        "sage-mean", 32, dropout=0.4, schedule=NodeSchedule(0.001, 0.1, stop_by_loss=True)
    ),
    "sage-maxpool": Convolution(
        "sage-maxpool", 32, dropout=0.3, schedule=NodeSchedule(0.001, 0.005, stop_by_loss=True)
    ),
    "gat": Convolution("gat", dropout=0.6, schedule=NodeSchedule(0.01, 0.01, stop_by_loss=True)),
}
"""The settings that Shchur and others (Pitfalls of Graph Neural Network Evaluation) found best."""


class _Stack(nn.Module):
    def __init__(self, method: Convolution, graph: NodeGraph) -> None:
        super().__init__()
        inner = [method.width] * (method.n_layers - 1)
        pairs = list(pairwise([graph.features.shape[1], *inner, graph.n_classes]))
        self.dropout = method.dropout
        self.activation = elu if method.kind == "gat" else relu
        layers = [
            _layer(method, n_in, n_out, is_last=place == len(pairs) - 1)
            for place, (n_in, n_out) in enumerate(pairs)
        ]
        self.first, self.others = layers[0], nn.ModuleList(layers[1:])
        self.decayed = nn.ModuleList(layers) if method.kind == "gat" else self.first
        self.is_weighted = method.kind == "gcn"

    def forward(self, x: Tensor, links: Links) -> Tensor:
        given = (links.edges, links.weights) if self.is_weighted else (links.edges,)
        x = self.first(x, *given)
        for layer in self.others:
            x = layer(dropout(self.activation(x), self.dropout, self.training), *given)
        return x


def _layer(method: Convolution, n_in: int, n_out: int, *, is_last: bool) -> Any:
    from torch_geometric.nn import GATConv, GCNConv  # noqa: PLC0415

    match method.kind:
        case "gcn":
            return GCNConv(n_in, n_out, cached=True)
        case "sage-mean":
            return MeanLayer(n_in, n_out)
        case "sage-maxpool":
            return MaxPoolLayer(n_in, n_out, method.width)
        case "gat":
            half = method.dropout / 2  # of the attention
            if is_last:
                return GATConv(n_in, n_out, heads=1, concat=False, dropout=half)
            return GATConv(n_in, n_out // N_HEADS, heads=N_HEADS, dropout=half)


class MeanLayer(nn.Module):
    """GraphSAGE with the mean: projected before it is taken, which is the same and costs less."""

    def __init__(self, n_in: int, n_out: int) -> None:
        super().__init__()
        from torch_geometric.nn import SimpleConv  # noqa: PLC0415

        self.near, self.own = glorot(n_in, n_out, bias=False), glorot(n_in, n_out)
        self.mean = SimpleConv(aggr="mean", combine_root="self_loop")

    def forward(self, x: Tensor, edges: Tensor) -> Tensor:
        """Return the features (N, n_out) of the next layer."""
        return _within_one(self.mean(self.near(x), edges) + self.own(x))


class MaxPoolLayer(nn.Module):
    """GraphSAGE with the maximum of projected features."""

    def __init__(self, n_in: int, n_out: int, n_pooled: int) -> None:
        super().__init__()
        from torch_geometric.nn import SimpleConv  # noqa: PLC0415

        self.pool = glorot(n_in, n_pooled, bias=False)
        self.near, self.own = glorot(n_pooled, n_out, bias=False), glorot(n_in, n_out)
        self.largest = SimpleConv(aggr="max", combine_root="self_loop")

    def forward(self, x: Tensor, edges: Tensor) -> Tensor:
        """Return the features (N, n_out) of the next layer."""
        pooled = self.largest(self.pool(x).relu(), edges)
        return _within_one(self.near(pooled) + self.own(x))


def _within_one(x: Tensor) -> Tensor:
    """Shorten what is longer than 1."""
    return x / x.norm(dim=1, keepdim=True).clamp(min=1)
