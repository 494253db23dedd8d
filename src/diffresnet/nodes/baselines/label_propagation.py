"""Label propagation: what the labels say, without features."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from diffresnet.learning.propagation import spread_labels
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import Solve
from diffresnet.nodes.splits import Split

SMALLEST = 1e-12
"""Of a class that no label of which reaches a node."""


@dataclass(frozen=True)
class LabelPropagation:
    """F <- alpha S F + (1 - alpha) Y with S = D^-1/2 (A + I) D^-1/2 (Zhou and others).

    Attributes:
        alpha: what a node takes from its neighbors.
        n_rounds: how often.
    """

    alpha: float = 0.9
    n_rounds: int = 100

    name = "label propagation"
    is_random = False

    def prepare(self, graph: NodeGraph) -> Solve:
        """Take the labels."""
        labels = torch.from_numpy(graph.labels)

        def solve(split: Split, _: int) -> Tensor:
            train = torch.from_numpy(split.train)
            targets = torch.zeros(graph.n_nodes, graph.n_classes)
            targets[train] = one_hot(labels[train], graph.n_classes).float()
            found = spread_labels(
                graph.operator.weights, targets, self.alpha, n_rounds=self.n_rounds
            )
            probabilities = found / found.sum(dim=1, keepdim=True).clamp(min=SMALLEST)
            return probabilities.clamp(min=SMALLEST).log()

        return solve
