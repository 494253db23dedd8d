"""Diff-ResNet of any depth, as a method for nodes (Figure "graph" of Section 5.2)."""

import math
from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn.functional import dropout

from diffresnet._checks import check_count, check_real
from diffresnet.diffusion import DiffusionOperator
from diffresnet.nn import Diffusion
from diffresnet.nodes.baselines.network import Links, glorot, prepare_network
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import Solve
from diffresnet.nodes.network import node_operator
from diffresnet.nodes.training import NodeSchedule

SCHEDULE = NodeSchedule(0.01, 0.005, stop_by_loss=True)


@dataclass(frozen=True)
class DeepDiffResNet:
    """A linear layer, residual blocks x + relu(FC x), a linear layer; diffusion between any two.

    The strength of all diffusion together does not depend on the depth: more layers are shorter
    steps of the same flow.

    Attributes:
        n_layers: at least 2; of these the first and the last are not residual.
        width: of the hidden layers.
        strength: of diffusion, step size times steps, in all.
        n_steps: of diffusion, in all; with more layers, one after each.
        dropout: before each layer.
        schedule: of training.
    """

    n_layers: int = 2
    width: int = 64
    strength: float = 5.0
    n_steps: int = 20
    dropout: float = 0.5
    schedule: NodeSchedule = SCHEDULE

    is_random = True

    def __post_init__(self) -> None:
        name = type(self).__name__
        check_count(name, "n_layers", self.n_layers, low=2)
        for count in ("width", "n_steps"):
            check_count(name, count, getattr(self, count), low=1)
        check_real(name, "strength", self.strength)

    @property
    def name(self) -> str:
        """A name for tables."""
        return f"Diff-ResNet of {self.n_layers} layers"

    def prepare(self, graph: NodeGraph) -> Solve:
        """Make the operator."""
        operator = node_operator(graph)
        n_in, n_out = graph.features.shape[1], graph.n_classes

        def build() -> nn.Module:
            return _Network(self, operator, n_in, n_out)

        return prepare_network(self, graph, build)


class _Network(nn.Module):
    def __init__(
        self, method: DeepDiffResNet, operator: DiffusionOperator, n_in: int, n_out: int
    ) -> None:
        super().__init__()
        n_hidden = method.n_layers - 1
        n_steps = math.ceil(method.n_steps / n_hidden)
        self.operator, self.dropout = operator, method.dropout
        self.diffusion = Diffusion(method.strength / (n_hidden * n_steps), n_steps)
        self.first, self.last = glorot(n_in, method.width), glorot(method.width, n_out)
        self.decayed = self.first
        middle = [glorot(method.width, method.width) for _ in range(n_hidden - 1)]
        self.middle = nn.ModuleList(middle)

    def forward(self, x: Tensor, links: Links) -> Tensor:
        del links
        x = self.first(x).relu()
        x = self.diffusion(x, self.operator)
        for layer in self.middle:
            x = x + layer(dropout(x, self.dropout, self.training)).relu()
            x = self.diffusion(x, self.operator)
        return self.last(dropout(x, self.dropout, self.training))
