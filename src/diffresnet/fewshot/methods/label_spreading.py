"""Label spreading by local and global consistency, on the weights of Diff-ResNet (Zhou 2004)."""

from dataclasses import dataclass, field

import torch
from torch import Tensor

from diffresnet._support.checks import check_probability
from diffresnet.fewshot.episodes import Episodes
from diffresnet.fewshot.methods.task_graph import TaskGraph
from diffresnet.fewshot.prototypes import members_of


@dataclass(frozen=True)
class LabelSpreading:
    """Spread the labels, F = (I - share S)^-1 Y, with S the normalized weights.

    Attributes:
        share: alpha, what a point takes from its neighbors.
        graph: how the points of a task are linked. The diagonal of its weights is left out.
    """

    share: float = 0.9
    graph: TaskGraph = field(default_factory=TaskGraph)

    def __post_init__(self) -> None:
        check_probability("LabelSpreading", "share", self.share)

    def __call__(self, episodes: Episodes) -> Tensor:
        """Return the scores (T, n_query, n_classes)."""
        points, n_support = episodes.points, episodes.n_support
        weights = self.graph.weights(points, points @ points.mT)
        weights.diagonal(dim1=-2, dim2=-1).fill_(0)
        factors = weights.sum(dim=-1).clamp(min=1e-12).rsqrt()
        links = weights * factors.unsqueeze(-1) * factors.unsqueeze(-2)
        own = torch.eye(points.shape[1], dtype=points.dtype, device=points.device)
        known = points.new_zeros(*points.shape[:2], episodes.n_classes)
        known[:, :n_support] = members_of(episodes).mT
        return torch.linalg.solve(own - self.share * links, known)[:, n_support:]
