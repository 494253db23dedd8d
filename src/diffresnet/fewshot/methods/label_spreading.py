"""Label spreading by local and global consistency, on the weights of Diff-ResNet (Zhou 2004)."""

from dataclasses import dataclass, field

from torch import Tensor

from diffresnet._support.settings import Probability, check_settings
from diffresnet.fewshot.episodes import Episodes
from diffresnet.fewshot.methods.task_graph import TaskGraph
from diffresnet.graph.normalization import balance_dense
from diffresnet.learning.propagation import spread_labels_fully


@dataclass(frozen=True)
class LabelSpreading:
    """Spread the labels, F = (1 - alpha) (I - alpha S)^-1 Y, with S the normalized weights.

    Attributes:
        alpha: what a point takes from its neighbors.
        graph: how the points of a task are linked. The diagonal of its weights is left out.
    """

    alpha: Probability = 0.9
    graph: TaskGraph = field(default_factory=TaskGraph)

    __post_init__ = check_settings

    def __call__(self, episodes: Episodes) -> Tensor:
        """Return the scores (T, n_query, n_classes)."""
        points, n_support = episodes.points, episodes.n_support
        weights = self.graph.weights(points, points @ points.mT)
        targets = points.new_zeros(*points.shape[:2], episodes.n_classes)
        targets[:, :n_support] = episodes.members.mT
        return spread_labels_fully(balance_dense(weights), targets, self.alpha)[:, n_support:]
