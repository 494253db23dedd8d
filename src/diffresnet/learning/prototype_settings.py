"""The constants of diffusion prototypes; benchmarks/classifier_ablation.py varies each of them."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class PrototypeSettings:
    """What diffusion prototypes depend on.

    Attributes:
        n_sampled: points that prototypes are refined by, and that the mixture looks at; of many
            classes twenty each.
        n_rounds: of refinement.
        rate: how far a prototype moves in a round.
        refined_weight: of the refined prototype against what labels say.
        sharpness: of the classes; in the graph's view for up to `many_classes` classes.
        many_classes: with more classes the graph's view is sharper, by the root of the excess.
        n_restarts: of the measure of stability with one label per class; fewer with more labels.
        least_stability: below it the graph is hardly trusted; see `trust`.
        least_trust: how far it is trusted then.
        n_folds: of held-out labels.
    """

    n_sampled: int = 1500
    n_rounds: int = 15
    rate: float = 0.3
    refined_weight: float = 0.5
    sharpness: float = 20.0
    many_classes: float = 10.0
    n_restarts: int = 4
    least_stability: float = 0.82
    least_trust: float = 0.3
    n_folds: int = 3

    def sample_size(self, n_classes: int) -> int:
        """Return how many points are looked at, at most."""
        return max(self.n_sampled, 20 * n_classes)

    def sharper(self, n_classes: int) -> float:
        """Return how much sharper many classes must be for a point to belong mostly to one."""
        return max(1.0, math.sqrt(n_classes / self.many_classes))

    def trust(self, stability: float) -> float:
        """Return how far the graph is trusted where no label can be held out, up to 1."""
        risen = max(0.0, (stability - self.least_stability) / (1 - self.least_stability))
        return self.least_trust + (1 - self.least_trust) * risen
