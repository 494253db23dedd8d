"""Label propagation: what the labels say, without features."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from diffresnet.nodes.baselines.network import links_of
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import Solve
from diffresnet.nodes.splits import Split

SMALLEST = 1e-12
"""Of a class that no label of which reaches a node."""


@dataclass(frozen=True)
class LabelPropagation:
    """F <- share S F + (1 - share) Y with S = D^-1/2 (A + I) D^-1/2 (Zhou and others).

    Attributes:
        share: of the neighbors.
        n_rounds: how often.
    """

    share: float = 0.9
    n_rounds: int = 100

    name = "label propagation"
    is_random = False

    def prepare(self, graph: NodeGraph) -> Solve:
        """Make S."""
        step = links_of(graph).normalized.to_sparse_csr()
        labels = torch.from_numpy(graph.labels)

        def solve(split: Split, _: int) -> Tensor:
            train = torch.from_numpy(split.train)
            known = torch.zeros(graph.n_nodes, graph.n_classes)
            known[train] = one_hot(labels[train], graph.n_classes).float()
            now = known
            for _ in range(self.n_rounds):
                now = self.share * (step @ now) + (1 - self.share) * known
            shares = now / now.sum(dim=1, keepdim=True).clamp(min=SMALLEST)
            return shares.clamp(min=SMALLEST).log()

        return solve
