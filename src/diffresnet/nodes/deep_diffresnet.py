"""Diff-ResNet of any depth, as a method for nodes (Figure "graph" of Section 5.2)."""

import math
from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn.functional import dropout

from diffresnet._support.settings import (
    Count,
    NonNegative,
    Positive,
    Probability,
    Several,
    check_settings,
)
from diffresnet.nn import Diffusion
from diffresnet.nodes.baselines.network import SCHEDULE, Links, glorot, prepare_network
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import Solve
from diffresnet.nodes.training import NodeSchedule


@dataclass(frozen=True)
class DeepDiffResNet:
    """A linear layer, residual blocks x + h relu(FC x), a linear layer; diffusion between any two.

    More layers are shorter steps of the same flow, up to the same time: neither the strength of all
    diffusion together nor the sum of the steps h of the blocks depends on the depth. (With h = 1 in
    each of 30 blocks, features that are never negative grow and become all alike.)

    Attributes:
        n_layers: at least 2; of these the first and the last are not residual.
        width: of the hidden layers.
        strength: of diffusion, step size times steps, in all.
        convection: the time of all residual blocks together, the sum of their steps h.
        n_steps: of diffusion, in all; with more layers, one after each.
        dropout: before each layer.
        schedule: of training.
    """

    n_layers: Several = 2
    width: Count = 64
    strength: Positive = 5.0
    convection: NonNegative = 1.0
    n_steps: Count = 20
    dropout: Probability = 0.5
    schedule: NodeSchedule = SCHEDULE

    is_random = True

    __post_init__ = check_settings

    @property
    def name(self) -> str:
        """A name for tables."""
        return f"Diff-ResNet of {self.n_layers} layers"

    def prepare(self, graph: NodeGraph) -> Solve:
        """Make the operator."""
        return prepare_network(self, graph, DeepNetwork)


class DeepNetwork(nn.Module):
    """The network of these settings."""

    def __init__(self, method: DeepDiffResNet, graph: NodeGraph) -> None:
        super().__init__()
        n_hidden = method.n_layers - 1
        n_steps = math.ceil(method.n_steps / n_hidden)
        self.operator, self.dropout = graph.operator, method.dropout
        self.diffusion = Diffusion(method.strength / (n_hidden * n_steps), n_steps)
        self.first = glorot(graph.features.shape[1], method.width)
        self.last = glorot(method.width, graph.n_classes)
        self.decayed = self.first
        middle = [glorot(method.width, method.width) for _ in range(n_hidden - 1)]
        self.middle, self.step = nn.ModuleList(middle), method.convection / max(1, len(middle))

    def forward(self, x: Tensor, _: Links) -> Tensor:
        """Return the logits (N, K) of features (N, F); the operator has the links."""
        x = self.first(x).relu()
        x = self.diffusion(x, self.operator)
        for layer in self.middle:
            x = x + self.step * layer(dropout(x, self.dropout, self.training)).relu()
            x = self.diffusion(x, self.operator)
        return self.last(dropout(x, self.dropout, self.training))
