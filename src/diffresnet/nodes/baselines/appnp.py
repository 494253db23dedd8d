"""APPNP: personalized propagation of a network's predictions."""

from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn.functional import dropout

from diffresnet.nodes.baselines.network import SCHEDULE, Links, glorot, prepare_network
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import Solve
from diffresnet.nodes.training import NodeSchedule


@dataclass(frozen=True)
class Appnp:
    """Two linear layers, then PyTorch Geometric's propagation (Klicpera and others).

    Attributes:
        width: of the hidden layer.
        n_steps: of propagation.
        teleport: the weight of a node's own prediction in each step.
        dropout: before each layer.
        schedule: of training.
    """

    width: int = 64
    n_steps: int = 10
    teleport: float = 0.1
    dropout: float = 0.5
    schedule: NodeSchedule = SCHEDULE

    name = "APPNP"
    is_random = True

    def prepare(self, graph: NodeGraph) -> Solve:
        """Take the features and the links."""
        return prepare_network(self, graph, Network)


class Network(nn.Module):
    """The network of these settings."""

    def __init__(self, method: Appnp, graph: NodeGraph) -> None:
        super().__init__()
        from torch_geometric.nn import APPNP  # noqa: PLC0415

        self.dropout = method.dropout
        self.first = glorot(graph.features.shape[1], method.width)
        self.last = glorot(method.width, graph.n_classes)
        self.decayed = self.first
        self.propagate = APPNP(method.n_steps, method.teleport, cached=True)

    def forward(self, x: Tensor, links: Links) -> Tensor:
        """Return the logits (N, K)."""
        x = self.first(x).relu()
        x = self.last(dropout(x, self.dropout, self.training))
        return self.propagate(x, links.edges, links.weights)
