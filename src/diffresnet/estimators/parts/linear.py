"""Features, linearly: ridge regression as it is known, in the form of a kernel."""

from dataclasses import dataclass

from torch import Tensor

from diffresnet.estimators.parts.features import Geometry
from diffresnet.estimators.parts.part import RidgePart, Targets, unless_zero
from diffresnet.estimators.points import FittedPoints, Places

WITH_LENGTHS = Geometry(with_lengths=True)


@dataclass(frozen=True)
class LinearScorer:
    """A linear function of the features.

    Attributes:
        center: (d,) the mean of the fitted points.
        slopes: (d, K).
    """

    center: Tensor
    slopes: Tensor

    def score(self, places: Places) -> Tensor:
        """Return its values."""
        single = WITH_LENGTHS.of(places) @ self.slopes.float()
        return single.double() - self.center @ self.slopes


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

    def span(self, coefficients: Tensor) -> LinearScorer:
        """Return the function that coefficients of the labeled points stand for."""
        return LinearScorer(self.center, self.own.mT @ coefficients / self.scale)


def fit_linear(points: FittedPoints, labels: Targets) -> RidgePart:
    """Learn a linear function of the features."""
    kernel = LinearKernel.of(points, labels)
    return RidgePart.of("features, linearly", labels.regress(kernel.gram), ((1.0, kernel),))
