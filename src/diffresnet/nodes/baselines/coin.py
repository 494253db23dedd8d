"""COIN: probabilities are diffused inside the loss, not features."""

from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn.functional import dropout

from diffresnet.nn import Diffusion
from diffresnet.nodes.baselines.network import SCHEDULE, Links, glorot, prepare_network
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import Solve
from diffresnet.nodes.training import NodeSchedule

SMALLEST = 1e-9


@dataclass(frozen=True)
class Coin:
    """u <- u - gamma (Lambda - W) u, r times, of the softmax u of a residual network.

    It is how Wang, Bao and Shi continue Diff-ResNet (*Convection-Diffusion Equation*, 2024): the
    diffusion at the end of the equation, of K columns in place of all features. The network, a
    linear layer, x + relu(FC x) and a linear layer, is ours.

    Attributes:
        step_size: gamma.
        n_steps: r.
        width: of the network.
        dropout: before each layer.
        schedule: of training.
    """

    step_size: float = 0.25
    n_steps: int = 20
    width: int = 64
    dropout: float = 0.5
    schedule: NodeSchedule = SCHEDULE

    name = "COIN"
    is_random = True

    def prepare(self, graph: NodeGraph) -> Solve:
        """Make the operator."""
        return prepare_network(self, graph, CoinNetwork)


class CoinNetwork(nn.Module):
    """The network of these settings."""

    def __init__(self, method: Coin, graph: NodeGraph) -> None:
        super().__init__()
        self.operator, self.dropout = graph.operator, method.dropout
        self.diffusion = Diffusion(method.step_size, method.n_steps)
        self.first = glorot(graph.features.shape[1], method.width)
        self.middle = glorot(method.width, method.width)
        self.last = glorot(method.width, graph.n_classes)
        self.decayed = self.first

    def forward(self, x: Tensor, _: Links) -> Tensor:
        """Return the logarithms (N, K) of diffused probabilities; the operator has the links."""
        x = self.first(x)
        x = x + self.middle(dropout(x, self.dropout, self.training)).relu()
        scores = self.last(dropout(x, self.dropout, self.training))
        return self.diffusion(scores.softmax(dim=1), self.operator).clamp(min=SMALLEST).log()
