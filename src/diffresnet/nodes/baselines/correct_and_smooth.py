"""Correct and smooth: a network without links, mended by the graph (Huang and others, 2021)."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from diffresnet.learning.propagation import spread_labels
from diffresnet.nodes.baselines.mlp import Mlp
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import NodeMethod, Solve
from diffresnet.nodes.splits import Split

SMALLEST = 1e-12
"""Of a probability."""

NETWORK = Mlp()


@dataclass(frozen=True)
class CorrectAndSmooth:
    """Spread the errors of a network from the labeled nodes, then its corrected probabilities.

    Errors Y - Z of labeled nodes are spread by F <- alpha S F + (1 - alpha) E. Each node's share is
    scaled to the mean size of an error and added to Z; labeled nodes then get their labels, and all
    of it is spread in the same way.

    Attributes:
        base: gives Z, the softmax of its scores.
        alpha_errors: what a node takes from its neighbors when errors are spread.
        alpha_labels: the same, when corrected probabilities are.
        n_rounds: of each.
    """

    base: NodeMethod = NETWORK
    alpha_errors: float = 0.9
    alpha_labels: float = 0.8
    n_rounds: int = 50

    @property
    def name(self) -> str:
        """Name the base, too."""
        return f"{self.base.name}, correct and smooth"

    @property
    def is_random(self) -> bool:
        """Tell whether the base is."""
        return self.base.is_random

    def prepare(self, graph: NodeGraph) -> Solve:
        """Prepare the base."""
        solve_base, weights = self.base.prepare(graph), graph.operator.weights
        labels = torch.from_numpy(graph.labels)

        def solve(split: Split, seed: int) -> Tensor:
            found = solve_base(split, seed).softmax(dim=1)
            train = torch.from_numpy(split.train)
            known = one_hot(labels[train], graph.n_classes).to(found)
            errors = torch.zeros_like(found)
            errors[train] = known - found[train]
            spread = spread_labels(weights, errors, self.alpha_errors, n_rounds=self.n_rounds)
            size = errors[train].abs().sum(dim=1).mean()
            found = found + size * spread / spread.abs().sum(dim=1, keepdim=True).clamp(SMALLEST)
            found[train] = known
            smooth = spread_labels(weights, found, self.alpha_labels, n_rounds=self.n_rounds)
            return smooth.clamp(SMALLEST).log()

        return solve
