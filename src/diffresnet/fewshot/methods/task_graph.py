"""The neighbor graph of each task, from inner products that are computed once."""

from dataclasses import dataclass

from torch import Tensor

from diffresnet._support.settings import Count, check_settings
from diffresnet._support.types import Normalization
from diffresnet.graph.distance_weights import weights_from_distances
from diffresnet.graph.distances import distances_from_gram


@dataclass(frozen=True)
class TaskGraph:
    """How the points of a task are linked; the defaults are the paper's (Appendix E.3.3).

    Attributes:
        n_top: weights kept in a row, the point itself counted; 7 is the 8 of the paper, whose
            code keeps one less. At most all points of a task are kept.
        bandwidth_rank: see `build_weights`.
        normalization: see `normalize`.
    """

    n_top: Count = 7
    bandwidth_rank: Count = 4
    normalization: Normalization = "symmetric"

    __post_init__ = check_settings

    def weights(self, points: Tensor, gram: Tensor) -> Tensor:
        """Return the weights (T, N, N) of points (T, N, d) with these inner products."""
        n_points = points.shape[1]
        return weights_from_distances(
            distances_from_gram(gram, points),
            min(self.n_top, n_points),
            bandwidth_rank=min(self.bandwidth_rank, n_points),
            normalization=self.normalization,
        )
