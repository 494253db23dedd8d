"""Diff-ResNet, trained, as a method for nodes."""

from dataclasses import dataclass, field
from functools import partial

import numpy as np
import torch
from torch import Tensor

from diffresnet._support.checks import check_device
from diffresnet._support.settings import CountOrZero, Positive, Probability, check_settings
from diffresnet.nn.node_diff_resnet import NodeDiffResNet
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import Solve
from diffresnet.nodes.splits import Split
from diffresnet.nodes.training import CODE_SCHEDULE, NodeSchedule, train_nodes


@dataclass(frozen=True)
class TrainedDiffResNet:
    """x + relu(FC1 x), r times {dropout, diffusion}, FC3, trained by Adam (Appendix E.2).

    Attributes:
        step_size: gamma.
        n_steps: r; without steps this is the paper's No-Diff-ResNet.
        dropout: probability that a number is dropped before each step.
        schedule: of training.
        device: where it is trained; scores come back to the CPU. It is no setting of the method:
            kept runs stay valid.
    """

    step_size: Positive = 0.25
    n_steps: CountOrZero = 20
    dropout: Probability = 0.25
    schedule: NodeSchedule = CODE_SCHEDULE
    device: str = field(default="cpu", repr=False, compare=False)

    is_random = True

    def __post_init__(self) -> None:
        check_settings(self)
        check_device(type(self).__name__, self.device, "one that torch has", "Use 'cpu'.")

    @property
    def name(self) -> str:
        """A name for tables."""
        return "Diff-ResNet" if self.n_steps > 0 else "No-Diff-ResNet"

    def prepare(self, graph: NodeGraph) -> Solve:
        """Make the operator."""
        make = partial(self._make, graph)

        def solve(split: Split, seed: int) -> Tensor:
            if self.n_steps == 0:
                return self._solve_apart(graph, split, seed)
            return train_nodes(make, graph, split, seed, self.schedule).scores().cpu()

        return solve

    def _make(self, graph: NodeGraph) -> NodeDiffResNet:
        operator = graph.operator if self.device == "cpu" else graph.operator.to(self.device)
        network = NodeDiffResNet(
            graph.features,
            graph.n_classes,
            operator,
            step_size=self.step_size,
            n_steps=self.n_steps,
            dropout=self.dropout,
        )
        return network.to(self.device)

    def _solve_apart(self, graph: NodeGraph, split: Split, seed: int) -> Tensor:
        """Train on the nodes of the split alone: without steps, no node sees another one."""
        nodes, n_train = np.concatenate([split.train, split.validation]), len(split.train)
        part, places = graph.select(nodes), np.arange(len(nodes))
        renumbered = Split(places[:n_train], places[n_train:], places[:0], split.seeds)
        make = partial(self._make, part)
        trained = train_nodes(make, part, renumbered, seed, self.schedule)
        with torch.random.fork_rng(devices=[]):
            whole = self._make(graph)
        whole.load_state_dict(trained.network.state_dict())
        return whole().cpu()
