"""A network that does not see the links."""

from dataclasses import dataclass

from torch import Tensor, nn

from diffresnet.nodes.baselines.network import Links, prepare_network
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import Solve
from diffresnet.nodes.training import PROGRAM_SCHEDULE, NodeSchedule


@dataclass(frozen=True)
class Mlp:
    """Two linear layers with a relu between them.

    Attributes:
        width: of the hidden layer.
        dropout: before each layer.
        schedule: of training.
    """

    width: int = 64
    dropout: float = 0.5
    schedule: NodeSchedule = PROGRAM_SCHEDULE

    name = "MLP"
    is_random = True

    def prepare(self, graph: NodeGraph) -> Solve:
        """Take the features."""
        n_features = graph.features.shape[1]

        def build() -> nn.Module:
            return _Layers(n_features, self.width, graph.n_classes, self.dropout)

        return prepare_network(self.name, graph, build, self.schedule)


class _Layers(nn.Module):
    def __init__(self, n_in: int, width: int, n_out: int, dropout: float) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Dropout(dropout),
            nn.Linear(n_in, width),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(width, n_out),
        )

    def forward(self, x: Tensor, links: Links) -> Tensor:
        del links
        return self.layers(x)
