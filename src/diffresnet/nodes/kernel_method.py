"""Diff-ResNet of infinite width, as a method for nodes: no seed, and no training of networks."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import normalize

from diffresnet._support.checks import check_real, fail
from diffresnet._support.settings import Count, Positive, check_settings
from diffresnet.learning.kernel_logistic import score_kernel
from diffresnet.learning.kernels import kernel_points, node_kernel
from diffresnet.nodes.choice import choose, mean_probabilities
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import Solve
from diffresnet.nodes.splits import Split

SAFE = 0.9
"""How much of the largest stable step size the path may take."""


@dataclass(frozen=True)
class KernelDiffResNet:
    """Kernel logistic regression on the labeled nodes, with the network's kernel, diffused.

    Features are scaled to length one. Along one path of diffusion the points that have the
    kernel (see `learning.kernels`) are, at every strength, centered and scaled to length one
    again. The few best of all strengths and ridges on the validation nodes answer together, by the
    mean of their probabilities; without validation nodes, all do.

    Attributes:
        strengths: n_steps * step_size, rising.
        ridges: of the regression.
        n_best: how many answer.
        step_size: of the path; less where the graph is not stable with it.
        n_landmarks: see `kernel_points`.
    """

    strengths: tuple[float, ...] = (2, 4, 6, 8, 10, 14, 20)
    ridges: tuple[float, ...] = (1, 1e-1, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4)
    n_best: Count = 20
    step_size: Positive = 0.2
    n_landmarks: Count = 1500

    name = "Diff-ResNet, kernel"
    is_random = False

    def __post_init__(self) -> None:
        check_settings(self)
        if not self.strengths or not self.ridges:
            got, remedy = "none", "Name one at least."
            fail(type(self).__name__, "strengths and ridges", "some numbers", got, remedy)
        for name in ("strengths", "ridges"):
            for value in getattr(self, name):
                check_real(type(self).__name__, name, value)
        if list(self.strengths) != sorted(self.strengths):
            must, remedy = "in rising order", "Sort them."
            fail(type(self).__name__, "strengths", must, self.strengths, remedy)

    def prepare(self, graph: NodeGraph) -> Solve:
        """Make the path."""
        lengths = graph.features.multiply(graph.features).sum(axis=1)
        scaled = graph.features.multiply((1 / lengths.clip(min=1e-12) ** 0.5)[:, None]).tocsr()
        points = kernel_points(node_kernel, scaled, self.n_landmarks)
        operator = graph.operator
        step_size = min(self.step_size, SAFE * operator.max_stable_step_size)
        steps = [max(1, round(strength / step_size)) for strength in self.strengths]
        states = operator.states(points, step_size, steps)
        path = [normalize(state - state.mean(dim=0), dim=1) for state in states]
        labels = torch.from_numpy(graph.labels)
        ridges = torch.tensor(self.ridges)

        def solve(split: Split, _: int) -> Tensor:
            train, validation = torch.from_numpy(split.train), torch.from_numpy(split.validation)
            rows = (state @ state[train].mT + 1 for state in path)
            found = [
                score_kernel(one, one[train], labels[train], graph.n_classes, ridges)
                for one in rows
            ]
            choice = choose(torch.cat(found), validation, labels[validation], self.n_best)
            return mean_probabilities(choice)

        return solve
