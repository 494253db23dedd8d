"""Where the points lie: by the graph, or by their features."""

from dataclasses import dataclass

from torch import Tensor
from torch.nn.functional import normalize


@dataclass(frozen=True)
class View:
    """Points on a sphere, and how a new point is put there.

    Attributes:
        points: (N, d) of length one.
        factors: (d,) what the coordinates of a new point are multiplied by first.
        center: (d,) what is then taken off, before the point is scaled to length one.
        sharpness: of the classes in this view.
        by_mean: whether the labeled points of a class speak by their mean, or each for itself.
    """

    points: Tensor
    factors: Tensor
    center: Tensor
    sharpness: float
    by_mean: bool

    @classmethod
    def make(cls, raw: Tensor, factors: Tensor, sharpness: float, *, by_mean: bool) -> "View":
        """Scale the coordinates, take off their mean, and go to the sphere."""
        scaled = raw * factors
        center = scaled.mean(dim=0)
        points = normalize(scaled - center, dim=1)
        return cls(points, factors, center, sharpness, by_mean)

    def place(self, raw: Tensor) -> Tensor:
        """Put new points on the sphere."""
        return normalize(raw * self.factors - self.center, dim=1)
