"""A network that does not see the links."""

from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn.functional import dropout

from diffresnet.nodes.baselines.network import Links, glorot, prepare_network
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import Solve
from diffresnet.nodes.training import NodeSchedule

SCHEDULE = NodeSchedule(0.005, 0.01, stop_by_loss=True)


@dataclass(frozen=True)
class Mlp:
    """Two linear layers with a relu between them, with the settings of Shchur and others.

    Attributes:
        width: of the hidden layer.
        dropout: before each layer.
        schedule: of training.
    """

    width: int = 64
    dropout: float = 0.8
    schedule: NodeSchedule = SCHEDULE

    name = "MLP"
    is_random = True

    def prepare(self, graph: NodeGraph) -> Solve:
        """Take the features."""
        return prepare_network(self, graph, Layers)


class Layers(nn.Module):
    """The network of these settings."""

    def __init__(self, method: Mlp, graph: NodeGraph) -> None:
        super().__init__()
        self.dropout = method.dropout
        self.first = glorot(graph.features.shape[1], method.width)
        self.last = glorot(method.width, graph.n_classes)
        self.decayed = self.first

    def forward(self, x: Tensor, _: Links) -> Tensor:
        """Return the logits (N, K)."""
        return self.last(dropout(self.first(x).relu(), self.dropout, self.training))
