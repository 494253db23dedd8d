"""What a method for nodes is: a graph in, and scores of all nodes for any split of it."""

from collections.abc import Callable
from typing import Protocol, TypeAlias

from torch import Tensor

from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.splits import Split

Solve: TypeAlias = Callable[[Split, int], Tensor]
"""From a split and a seed to the scores (N, K) of all nodes: logits, or logs of probabilities."""


class NodeMethod(Protocol):
    """A way to label nodes: a frozen dataclass, told from others by its settings."""

    @property
    def name(self) -> str:
        """A name for tables."""
        ...

    @property
    def is_random(self) -> bool:
        """Whether the seed matters; if not, one initialization is enough."""
        ...

    def prepare(self, graph: NodeGraph) -> Solve:
        """Do what is the same for all splits, and return what solves one."""
        ...
