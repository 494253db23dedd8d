"""What fewer than two classes say: there is nothing to tell apart, and nothing to learn."""

from dataclasses import dataclass

import torch
from torch import Tensor

from diffresnet.estimators.points import FittedPoints, Places
from diffresnet.learning.labels import Labels
from diffresnet.learning.strength import Strength


@dataclass(frozen=True)
class SolvedSingle:
    """Equal scores for all points.

    Attributes:
        n_points: that were fitted.
        n_classes: none or one.
    """

    n_points: int
    n_classes: int

    def score(self, places: Places) -> Tensor:
        """Return zeros, (n, K): of one class the probability is 1."""
        return places.read(torch.zeros(self.n_points, self.n_classes, dtype=torch.float64))

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is missing."""
        if self.n_classes == 0:
            return ("There is no label yet: nothing is predicted.",)
        return ("All labels are of one class, and so are all answers: label a point of another.",)


class SingleSolver:
    """Takes the place of any solver as long as there are fewer than two classes."""

    def solve(
        self,
        points: FittedPoints,
        labels: Labels,
        strength: Strength,  # noqa: ARG002  (as `Solver` has it)
        generator: torch.Generator,  # noqa: ARG002
    ) -> SolvedSingle:
        """Return what needs no learning."""
        return SolvedSingle(points.operator.n_points, labels.n_classes)
