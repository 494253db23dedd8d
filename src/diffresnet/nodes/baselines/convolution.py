"""Stacks of PyTorch Geometric's graph convolutions: GCN, GraphSAGE and GAT."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from torch import Tensor, nn
from torch.nn.functional import dropout, elu, relu

from diffresnet._checks import check_choice, check_count
from diffresnet.nodes.baselines.network import Links, prepare_network
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import Solve
from diffresnet.nodes.training import PROGRAM_SCHEDULE, NodeSchedule

Kind: TypeAlias = Literal["gcn", "sage-mean", "sage-maxpool", "gat"]
TITLES: dict[Kind, str] = {
    "gcn": "GCN",
    "sage-mean": "GraphSAGE-mean",
    "sage-maxpool": "GraphSAGE-maxpool",
    "gat": "GAT",
}
N_HEADS = 8


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
    n_layers: int = 2
    dropout: float = 0.5
    schedule: NodeSchedule = PROGRAM_SCHEDULE

    is_random = True

    def __post_init__(self) -> None:
        check_choice("Convolution", "kind", self.kind, tuple(TITLES))
        check_count("Convolution", "n_layers", self.n_layers, low=2)

    @property
    def name(self) -> str:
        """A name for tables."""
        return TITLES[self.kind]

    def prepare(self, graph: NodeGraph) -> Solve:
        """Take the features and the links."""
        inner = [self.width] * (self.n_layers - 1)
        widths = [graph.features.shape[1], *inner, graph.n_classes]
        return prepare_network(self.name, graph, lambda: _Stack(self, widths), self.schedule)


class _Stack(nn.Module):
    def __init__(self, method: Convolution, widths: list[int]) -> None:
        super().__init__()
        self.dropout = method.dropout
        self.activation = elu if method.kind == "gat" else relu
        pairs = list(pairwise(widths))
        layers = [
            _layer(method, n_in, n_out, is_last=place == len(pairs) - 1)
            for place, (n_in, n_out) in enumerate(pairs)
        ]
        self.layers = nn.ModuleList(layers)

    def forward(self, x: Tensor, links: Links) -> Tensor:
        for place, layer in enumerate(self.layers):
            x = dropout(x if place == 0 else self.activation(x), self.dropout, self.training)
            x = layer(x, links.edges)
        return x


def _layer(method: Convolution, n_in: int, n_out: int, *, is_last: bool) -> Any:
    from torch_geometric.nn import GATConv, GCNConv, SAGEConv  # noqa: PLC0415

    match method.kind:
        case "gcn":
            return GCNConv(n_in, n_out, cached=True)
        case "sage-mean":
            return SAGEConv(n_in, n_out, aggr="mean")
        case "sage-maxpool":
            return SAGEConv(n_in, n_out, aggr="max", project=True)
        case "gat":
            if is_last:
                return GATConv(n_in, n_out, heads=1, concat=False, dropout=method.dropout)
            return GATConv(n_in, n_out // N_HEADS, heads=N_HEADS, dropout=method.dropout)
