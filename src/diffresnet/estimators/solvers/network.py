"""The trained network: Diff-ResNet on the fitted graph, by gradient descent (Algorithm 1)."""

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from diffresnet.estimators.points import FittedPoints, Places
from diffresnet.learning.descent import Descent
from diffresnet.learning.labels import UNLABELED, Labels
from diffresnet.learning.losses import Batch, CrossEntropy
from diffresnet.learning.strength import Strength
from diffresnet.learning.views import View
from diffresnet.nn.diff_resnet import DiffResNet


@dataclass(frozen=True)
class SolvedNetwork:
    """What the network gives the fitted points; new points receive from their neighbors.

    Attributes:
        scores: (N, K) of the fitted points.
    """

    scores: Tensor

    remarks = ()

    def score(self, places: Places) -> Tensor:
        """Return the scores (n, K)."""
        return places.read(self.scores)


@dataclass(frozen=True)
class NetworkSolver:
    """Train one residual block, diffusion and a classifier, by Adam, on all points at once.

    Without features the network sees where diffusion puts the points.

    Attributes:
        n_features: principal directions of the features that the network sees.
        n_epochs: of training.
        learning_rate: of Adam.
        weight_decay: of Adam.
        device: where it is trained; what it learned comes back to the CPU.
    """

    n_features: int = 100
    n_epochs: int = 100
    learning_rate: float = 0.01
    weight_decay: float = 5e-4
    device: str = "cpu"

    def solve(
        self,
        points: FittedPoints,
        labels: Labels,
        strength: Strength,
        generator: torch.Generator,
    ) -> SolvedNetwork:
        """Train."""
        step_size, n_steps = strength.step_size, strength.n_steps
        shown = points.points
        if shown is None:
            shown = View.of_graph(points.spectrum, step_size, n_steps).points
        shown = shown[:, : self.n_features].to(self.device)
        operator = points.operator if self.device == "cpu" else points.operator.to(self.device)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(torch.randint(2**31 - 1, (1,), generator=generator)))
            model = DiffResNet(
                shown.shape[1], labels.n_classes, step_size=step_size, n_steps=n_steps
            ).to(shown)
        targets = torch.full((len(shown),), UNLABELED)
        targets[labels.rows] = labels.classes
        batch = Batch((shown, operator), targets.to(self.device))
        descent = Descent(self._optimizer, self.n_epochs)
        descent.train(model, lambda: [batch], [CrossEntropy()])
        with torch.no_grad():
            return SolvedNetwork(model(shown, operator).cpu())

    def _optimizer(self, parameters: Iterable[nn.Parameter]) -> torch.optim.Optimizer:
        return torch.optim.Adam(parameters, lr=self.learning_rate, weight_decay=self.weight_decay)
