"""What scores the points of a view: the labels, and prototypes that other points have moved."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import normalize, one_hot

from diffresnet.estimators.views import View
from diffresnet.learning.labels import Labels
from diffresnet.learning.prototypes import class_means, refine_prototypes

N_EXEMPLARS = 20
"""So many labeled points of a class speak for themselves: more would cost time only."""

SOFTNESS = 0.25
"""How much the nearest of them outweigh the others, in units of the sharpness."""

BLOCK_SIZE = 2**24
"""How many cosines are in memory at a time."""


@dataclass(frozen=True)
class Directions:
    """What scores the points of a view.

    Attributes:
        known: nearness to what labels say.
        refined: (K, d) prototypes that the other points have moved.
        sharpness: of the view.
    """

    known: "Means | Exemplars"
    refined: Tensor
    sharpness: float

    def score(self, points: Tensor) -> Tensor:
        """Return the scores (n, K): how near the labels are, and how alike the prototype."""
        alike = points @ self.refined.to(points).mT
        return self.sharpness / 2 * (self.known.nearness(points) + alike)


@dataclass(frozen=True)
class Means:
    """The mean of the labeled points of each class, (K, d)."""

    means: Tensor

    def nearness(self, points: Tensor) -> Tensor:
        """Return minus half of the squared distances to the means, but for a constant, (n, K)."""
        means = self.means.to(points)
        return points @ means.mT - means.square().sum(dim=1) / 2


@dataclass(frozen=True)
class Exemplars:
    """Labeled points that each speak for themselves, the nearer the louder.

    Attributes:
        points: (m, d) of length one.
        shares: (m, K) what each counts for its class; the columns sum to 1.
        softness: small for the mean of the cosines, large for the largest.
    """

    points: Tensor
    shares: Tensor
    softness: float

    def nearness(self, points: Tensor) -> Tensor:
        """Return a soft maximum of the cosines with the points of each class, (n, K)."""
        own, shares = self.points.to(points), self.shares.to(points)
        blocks = points.split(max(1, BLOCK_SIZE // len(own)))
        loud = [(self.softness * (block @ own.mT)).exp() @ shares for block in blocks]
        return torch.cat(loud).log() / self.softness


def find_directions(view: View, labels: Labels, sample: Tensor) -> Directions:
    """Make the prototypes of a view, and refine them by a sample of the points."""
    known = view.points[labels.known]
    means = class_means(known, labels.classes, labels.n_classes)
    said = Means(means) if view.by_mean else _choose_exemplars(known, labels, view.sharpness)
    points = torch.cat([view.points[sample], known])
    places = torch.arange(len(sample), len(points), device=points.device)
    refined = refine_prototypes(
        points, normalize(means, dim=1), view.sharpness, known=places, labels=labels.classes
    )
    return Directions(said, refined, view.sharpness)


def _choose_exemplars(known: Tensor, labels: Labels, sharpness: float) -> Exemplars:
    """Take the first labeled points of each class."""
    own = one_hot(labels.classes, labels.n_classes)
    first = (own.cumsum(dim=0) * own).amax(dim=1) <= N_EXEMPLARS
    shares = own[first].to(known)
    return Exemplars(known[first], shares / shares.sum(dim=0), SOFTNESS * sharpness)
