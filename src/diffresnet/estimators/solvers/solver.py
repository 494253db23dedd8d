"""What a solver is: points and labels in, something that scores any points out."""

from typing import Protocol

import torch
from torch import Tensor

from diffresnet.estimators.points import FittedPoints, Places
from diffresnet.learning.labels import Labels
from diffresnet.learning.strength import Strength


class Solved(Protocol):
    """What was learned: enough to score any points, fitted or new."""

    def score(self, places: Places) -> Tensor:
        """Return the scores (n, K), logarithms of probabilities but for a constant a row."""
        ...

    @property
    def remarks(self) -> tuple[str, ...]:
        """What there is to tell about it, in sentences."""
        ...


class Solver(Protocol):
    """A way to learn from labels."""

    def solve(
        self,
        points: FittedPoints,
        labels: Labels,
        strength: Strength,
        generator: torch.Generator,
    ) -> Solved:
        """Learn.

        Args:
            points: all of them, and their graph.
            labels: at least one of each of two or more classes.
            strength: of diffusion.
            generator: of everything that is drawn.
        """
        ...
