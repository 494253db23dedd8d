"""Training of a network on a split, stopped early as in the authors' code (Appendix E.2)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from diffresnet._support.checks import fail
from diffresnet._support.settings import Count, NonNegative, Positive, check_settings
from diffresnet.learning.stopping import EarlyStopping
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.splits import Split


class NodeNetwork(Protocol):
    """A network whose scores need, in training and at evaluation, the same first part.

    Called by itself, it returns the logits (N, K) without dropout.
    """

    def decayed(self) -> list[Tensor]:
        """Return the parameters that weight decay is for."""
        ...

    def hidden(self) -> Tensor:
        """Return what training and evaluation have in common."""
        ...

    def train_scores(self, hidden: Tensor, random: np.random.Generator) -> Tensor:
        """Return the logits (N, K), with dropout."""
        ...

    def test_scores(self, hidden: Tensor) -> Tensor:
        """Return the logits (N, K), without dropout."""
        ...


@dataclass(frozen=True)
class NodeSchedule:
    """How a network is trained; the defaults are those of the authors' code.

    Attributes:
        learning_rate: of Adam.
        weight_decay: of those parameters that the network says.
        n_epochs: at most.
        patience: epochs without a better validation loss or accuracy before training ends.
        stop_by_loss: whether only the loss counts; with much dropout and few validation nodes, the
            accuracy is as good as the best one again and again.
    """

    learning_rate: Positive = 0.01
    weight_decay: NonNegative = 5e-4
    n_epochs: Count = 10_000
    patience: Count = 50
    stop_by_loss: bool = False

    __post_init__ = check_settings


CODE_SCHEDULE = NodeSchedule()


@dataclass(frozen=True)
class Trained:
    """A network with the parameters of its best epoch, and how many epochs there were."""

    network: nn.Module
    n_epochs: int

    def scores(self) -> Tensor:
        """Return the logits of all nodes, (N, K)."""
        with torch.no_grad():
            return self.network()


def train_nodes(
    make: Callable[[], nn.Module], graph: NodeGraph, split: Split, seed: int, schedule: NodeSchedule
) -> Trained:
    """Train the network that `make` returns from torch's random numbers.

    An epoch's evaluation and the next epoch's training step use the same parameters, and so the
    same first part of the network. `make` returns a `NodeNetwork`; `seed` is that of the
    initialization and of dropout.

    Raises:
        ValueError: if the split has no validation nodes, which end the training.
    """
    if len(split.validation) == 0:
        remedy = "Draw some (`n_validation`), or use the kernel, which can do without."
        fail("train_nodes", "split", "one with validation nodes", "none", remedy)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = make()
        return Trained(model, _descend(model, graph, split, seed, schedule))


def _descend(
    model: nn.Module, graph: NodeGraph, split: Split, seed: int, schedule: NodeSchedule
) -> int:
    """Train, go back to the best epoch, and return how many there were."""
    network: NodeNetwork = model  # pyright: ignore[reportAssignmentType]
    random = np.random.Generator(np.random.SFC64(seed))
    decayed = network.decayed()
    places = {id(parameter) for parameter in decayed}
    others = [parameter for parameter in model.parameters() if id(parameter) not in places]
    groups = [{"params": decayed, "weight_decay": schedule.weight_decay}, {"params": others}]
    optimizer = torch.optim.Adam(groups, lr=schedule.learning_rate, fused=True)
    arrays = graph.labels, split.train, split.validation
    labels, train, validation = (torch.from_numpy(one).to(decayed[0].device) for one in arrays)
    stopping, n_epochs = EarlyStopping(schedule.patience), 0
    for n_epochs in range(schedule.n_epochs + 1):
        hidden = network.hidden()
        if n_epochs > 0:
            with torch.no_grad():
                scores = network.test_scores(hidden.detach())[validation]
            right = scores.argmax(dim=1) == labels[validation]
            accuracy = float("nan") if schedule.stop_by_loss else float(right.double().mean())
            record = {
                "validation_loss": float(cross_entropy(scores, labels[validation])),
                "validation_accuracy": accuracy,
            }
            if stopping.update(record, model):
                break
        if n_epochs < schedule.n_epochs:
            optimizer.zero_grad()
            cross_entropy(network.train_scores(hidden, random)[train], labels[train]).backward()
            optimizer.step()
    stopping.restore(model)
    return n_epochs
