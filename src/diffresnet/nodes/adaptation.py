"""A method whose predictions are adapted to how common the classes are."""

from dataclasses import dataclass

import numpy as np
from torch import Tensor

from diffresnet.learning.calibration import adapt_proportions, check_every_class
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import NodeMethod, Solve
from diffresnet.nodes.splits import Split


@dataclass(frozen=True)
class ProportionsAdapted:
    """Calibrate a method on validation nodes, and adapt it to the class proportions of the others.

    See `adapt_proportions`.

    Attributes:
        method: any whose scores are logits, or logarithms of probabilities.

    Examples:
        >>> from diffresnet.nodes import KernelDiffResNet
        >>> ProportionsAdapted(KernelDiffResNet()).name
        'Diff-ResNet, kernel, proportions adapted'
    """

    method: NodeMethod

    @property
    def name(self) -> str:
        """A name for tables."""
        return f"{self.method.name}, proportions adapted"

    @property
    def is_random(self) -> bool:
        """Whether the seed matters."""
        return self.method.is_random

    def prepare(self, graph: NodeGraph) -> Solve:
        """Prepare the method itself."""
        solve = self.method.prepare(graph)

        def adapted(split: Split, seed: int) -> Tensor:
            classes = graph.labels[split.validation]
            check_every_class(classes, graph.n_classes)  # before it takes long
            unlabeled = np.ones(graph.n_nodes, dtype=bool)
            unlabeled[split.train] = unlabeled[split.validation] = False
            return adapt_proportions(solve(split, seed), split.validation, classes, unlabeled)

        return adapted
