"""Diff-ResNet of infinite width, as a method for nodes: no seed, and no training of networks."""

from dataclasses import dataclass

import torch
from torch import Tensor

from diffresnet._support.checks import check_real, fail
from diffresnet._support.settings import Count, Positive, check_settings
from diffresnet.learning.kernel_logistic import score_kernel
from diffresnet.nodes.channels import diffuse_points, place_features
from diffresnet.nodes.choice import choose, mean_probabilities
from diffresnet.nodes.graph import NodeGraph
from diffresnet.nodes.method import Solve
from diffresnet.nodes.splits import Split


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
        points = place_features(graph, self.n_landmarks)
        path = diffuse_points(graph.operator, points, self.strengths, self.step_size)
        labels = torch.from_numpy(graph.labels)
        ridges = torch.tensor(self.ridges)

        def solve(split: Split, _: int) -> Tensor:
            train, validation = torch.from_numpy(split.train), torch.from_numpy(split.validation)
            rows = (state @ state[train].mT + 1 for state in path)
            found = [
                score_kernel(one, train, labels[train], graph.n_classes, ridges) for one in rows
            ]
            choice = choose(torch.cat(found), validation, labels[validation], self.n_best)
            return mean_probabilities(choice)

        return solve
