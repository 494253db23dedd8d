"""Which nodes are for training, for validation and for testing."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from diffresnet._support.checks import fail
from diffresnet._support.settings import Count, CountOrZero, check_settings
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.masks import SPLIT_PARTS

CODE_SEED = 42
LARGEST_SEED = 10**6
Nodes = npt.NDArray[np.int64]

FEWER = (
    "Draw fewer training (`n_train`, --train-nodes) or validation nodes (`n_validation`, "
    "--validation-nodes)"
)


@dataclass(frozen=True)
class Split:
    """A division of the nodes.

    Attributes:
        train: numbers of the labeled nodes.
        validation: those that early stopping and settings are chosen by.
        test: all other nodes with a label.
        seeds: one for each initialization.
    """

    train: Nodes
    validation: Nodes
    test: Nodes
    seeds: tuple[int, ...]


@dataclass(frozen=True)
class SplitProtocol:
    """How splits are drawn.

    The defaults are those of the authors' code, bit for bit: a seed for every split, of which
    `RandomState` draws `n_train` nodes of each class, class by class, then `n_validation` of each
    from the rest, then the seeds of the initializations.

    Attributes:
        n_train: nodes of each class for training.
        n_validation: nodes of each class for validation.
        n_splits: how many splits.
        n_inits: how many initializations of each.
        seed: of the seeds.
    """

    n_train: Count = 20
    n_validation: CountOrZero = 30
    n_splits: Count = 100
    n_inits: Count = 20
    seed: int = CODE_SEED

    __post_init__ = check_settings

    def __str__(self) -> str:
        """Say what the protocol is, to be printed beside every number."""
        return f"{self.kind}, {self.n_splits} splits x {self.n_inits} inits"

    @property
    def kind(self) -> str:
        """What must agree for runs to be those of the same protocol."""
        what = f"{self.n_train} train and {self.n_validation} validation nodes per class"
        return f"{what}, seed {self.seed}"

    def splits(self, graph: NodeGraph) -> Iterator[Split]:
        """Yield the splits.

        Raises:
            ValueError: if a class has fewer nodes than a split needs; the message names it.
        """
        if graph.n_classes == 0:
            fail("SplitProtocol", "graph", "one with labels", "none", "Label some nodes.")
        check_class_sizes(graph, self.n_train + self.n_validation)
        # The authors' code draws 100 seeds, whatever of them is used.
        draws = np.random.RandomState(self.seed).randint(0, LARGEST_SEED, max(100, self.n_splits))
        for seed in draws[: self.n_splits]:
            yield self._draw(graph, int(seed))

    def _draw(self, graph: NodeGraph, seed: int) -> Split:
        random, labels = np.random.RandomState(seed), graph.labels
        rest = np.flatnonzero(labels >= 0)
        drawn: list[Nodes] = []
        for n_drawn in (self.n_train, self.n_validation):
            parts = [
                random.choice(rest[labels[rest] == one], n_drawn, replace=False)
                for one in range(graph.n_classes)
            ]
            drawn.append(np.concatenate(parts))
            rest = np.setdiff1d(rest, drawn[-1])
        if len(rest) == 0:
            remedy = f"{FEWER}."
            fail("SplitProtocol", "graph", "left with nodes to test", "none", remedy)
        seeds = random.randint(0, LARGEST_SEED, max(20, self.n_inits))[: self.n_inits]
        return Split(drawn[0], drawn[1], rest, tuple(seeds.tolist()))


@dataclass(frozen=True)
class GivenSplit:
    """The one split that comes with the data, such as that of Planetoid, or the several ones.

    Attributes:
        n_inits: how many initializations of each.
        seed: of their seeds.
    """

    n_inits: Count = 20
    seed: int = CODE_SEED

    __post_init__ = check_settings

    def __str__(self) -> str:
        """Say what the protocol is, to be printed beside every number."""
        return f"{self.kind}, x {self.n_inits} inits"

    @property
    def kind(self) -> str:
        """What must agree for runs to be those of the same protocol."""
        return f"the split that comes with the data, seed {self.seed}"

    def splits(self, graph: NodeGraph) -> Iterator[Split]:
        """Yield the splits; nodes without a label are in no part.

        Raises:
            ValueError: if there is none, or one has no node to train on or to test.
        """
        if graph.given_split is None:
            remedy = f"Save the masks {', '.join(SPLIT_PARTS)}, or draw splits."
            fail("GivenSplit", "graph", "one that comes with a split", "one without", remedy)
        random = np.random.RandomState(self.seed)
        for given in np.atleast_2d(graph.given_split):
            parts = [
                np.flatnonzero((given == place) & (graph.labels >= 0))
                for place in range(len(SPLIT_PARTS))
            ]
            for place in (0, 2):
                if len(parts[place]) == 0:
                    got = "none that has a label and belongs to the graph"
                    fail("GivenSplit", SPLIT_PARTS[place], "of some nodes", got, "Name some.")
            drawn = random.randint(0, LARGEST_SEED, max(20, self.n_inits))[: self.n_inits]
            yield Split(parts[0], parts[1], parts[2], tuple(drawn.tolist()))


Protocol: TypeAlias = SplitProtocol | GivenSplit


def check_class_sizes(graph: NodeGraph, n_needed: int) -> None:
    """Raise if a class has fewer nodes than a split needs."""
    counts = np.bincount(graph.labels[graph.labels >= 0], minlength=graph.n_classes)
    for name, count in zip(graph.class_names, counts.tolist(), strict=True):
        if count < n_needed:
            got = f"{count} of class {name!r}"
            remedy = f"{FEWER}, or leave the class out."
            fail("SplitProtocol", "graph", f"{n_needed} nodes of each class", got, remedy)
