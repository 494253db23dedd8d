"""The constants of diffusion prototypes; benchmarks/classifier_ablation.py varies each of them."""

import math
from dataclasses import dataclass

from diffresnet.estimators.features import N_FOR_CLASSES


@dataclass(frozen=True)
class PrototypeSettings:
    """What diffusion prototypes depend on.

    Attributes:
        n_features: principal directions of the features that classes are told apart by.
        n_sampled: prototypes are refined by this number of points.
        n_rounds: of refinement.
        rate: how far a prototype moves in a round.
        refined_weight: of the refined prototype against what labels say.
        graph_sharpness: of the classes in the graph's view, for up to `many_classes` classes.
        feature_sharpness: of the classes in the features' view.
        many_classes: with more classes the graph's view is sharper, by the root of the excess.
        softness: how much the nearest labeled points of a class outweigh the others in the graph's
            view, in units of the sharpness.
        n_restarts: of the measure of stability with one label per class; fewer with more labels.
        least_stability: below it the graph is not trusted; see `trust`.
        stability_range: from there on it is, more and more, and wholly at its end.
        least_weight: of the graph's view.
        least_scale: of the scores.
        n_folds: of held-out labels.
    """

    n_features: int = N_FOR_CLASSES
    n_sampled: int = 3000
    n_rounds: int = 15
    rate: float = 0.3
    refined_weight: float = 0.5
    graph_sharpness: float = 10.0
    feature_sharpness: float = 20.0
    many_classes: float = 10.0
    softness: float = 0.25
    n_restarts: int = 4
    least_stability: float = 0.82
    stability_range: float = 0.07
    least_weight: float = 0.3
    least_scale: float = 0.25
    n_folds: int = 3

    def sharper(self, n_classes: int) -> float:
        """Return how much sharper many classes must be for a point to belong mostly to one."""
        return max(1.0, math.sqrt(n_classes / self.many_classes))

    def view_weight(self, stability: float) -> float:
        """Return the weight of the graph's view when no label can be held out."""
        return self.least_weight + (1 - self.least_weight) * self.trust(stability)

    def scale(self, stability: float, n_classes: int) -> float:
        """Return the scale of the scores when no label can be held out."""
        usual = self.least_scale + (1 - self.least_scale) * self.trust(stability)
        return usual / self.sharper(n_classes)

    def trust(self, stability: float) -> float:
        """Return how far the graph is trusted, from 0 to 1."""
        risen = (stability - self.least_stability) / self.stability_range
        return min(1.0, max(0.0, risen))
