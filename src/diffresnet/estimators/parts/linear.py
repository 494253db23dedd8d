"""Features, linearly: ridge regression as it is known, in the form of a kernel."""

from dataclasses import dataclass

from torch import Tensor

from diffresnet.estimators.parts.features import Geometry
from diffresnet.estimators.parts.many_labels import few_of, hold_out_others
from diffresnet.estimators.parts.part import RidgePart, Targets, unless_zero
from diffresnet.estimators.points import FittedPoints, Places

WITH_LENGTHS = Geometry(with_lengths=True)


@dataclass(frozen=True)
class LinearKernel:
    """Inner products of centered features, seen from the labeled points.

    Attributes:
        center: (d,) the mean of the fitted points.
        own: (n, d) the labeled points, centered.
        gram: (n, n) the kernel between them.
        scale: what the kernel was divided by.
    """

    center: Tensor
    own: Tensor
    gram: Tensor
    scale: float

    @classmethod
    def of(cls, points: FittedPoints, labels: Targets) -> "LinearKernel":
        """Make the kernel of the labeled points."""
        everything = WITH_LENGTHS.of(points.places)
        center = everything.mean(dim=0).double()
        own = everything[labels.rows].double() - center
        gram = own @ own.mT
        scale = unless_zero(float(gram.diagonal().mean()))
        return cls(center, own, gram / scale, scale)

    def expand(self, places: Places, coefficients: Tensor) -> Tensor:
        """Return sum_j k(x, x_j) c_j of some points x, (n, K): a linear function of them."""
        slopes = self.own.mT @ coefficients / self.scale
        return (WITH_LENGTHS.of(places) @ slopes.float()).double() - self.center @ slopes


def fit_linear(points: FittedPoints, labels: Targets) -> RidgePart:
    """Learn a linear function of the features."""
    few = few_of(points, labels)
    kernel = LinearKernel.of(points, few)
    part = RidgePart.of("features, linearly", few.regress(kernel.gram), (1.0, kernel))
    return hold_out_others(part, points, labels, few)
