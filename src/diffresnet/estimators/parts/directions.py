"""What scores the points of a view: the labels, and prototypes that other points have moved."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import normalize

from diffresnet.estimators.parts.settings import PrototypeSettings
from diffresnet.estimators.views import View
from diffresnet.learning.labels import Labels
from diffresnet.learning.prototypes import class_means, members_of, spherical_kmeans

BLOCK_SIZE = 2**24
"""How many cosines are in memory at a time."""


@dataclass(frozen=True)
class Directions:
    """What scores the points of a view.

    Attributes:
        labeled: nearness to what labels say.
        refined: (K, d) prototypes that the other points have moved.
        sharpness: of the view.
        refined_weight: of these prototypes against what labels say.
    """

    labeled: "Means | Exemplars"
    refined: Tensor
    sharpness: float
    refined_weight: float

    def score(self, points: Tensor) -> Tensor:
        """Return the scores (n, K): how near the labels are, and how alike the prototype."""
        alike = points @ self.refined.to(points).mT
        near = self.labeled.nearness(points)
        return self.sharpness * torch.lerp(near, alike, self.refined_weight)


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
        weights: (m, K) what each counts for its class; the columns sum to 1.
        softness: small for the mean of the cosines, large for the largest.
    """

    points: Tensor
    weights: Tensor
    softness: float

    def nearness(self, points: Tensor) -> Tensor:
        """Return a soft maximum of the cosines with the points of each class, (n, K)."""
        own, weights = self.points.to(points), self.weights.to(points)
        blocks = points.split(max(1, BLOCK_SIZE // len(own)))
        loud = [(self.softness * (block @ own.mT)).exp() @ weights for block in blocks]
        return torch.cat(loud).log() / self.softness


def find_directions(
    view: View,
    labels: Labels,
    sample: Tensor,
    sharpness: float,
    settings: PrototypeSettings,
    *,
    by_mean: bool,
) -> Directions:
    """Make the prototypes of a view, and refine them by a sample of the points.

    Args:
        view: of the points.
        labels: of some.
        sample: rows of the points that refine.
        sharpness: of the classes in this view.
        settings: of everything else.
        by_mean: whether the labeled points of a class speak by their mean, or each for itself.
    """
    own = view.points[labels.rows]
    members = members_of(labels.classes, labels.n_classes, own.dtype)
    means = class_means(own, members)
    if by_mean:
        labeled = Means(means)
    else:
        weights = members.mT / members.sum(dim=1)
        labeled = Exemplars(own, weights, settings.softness * sharpness)
    points = torch.cat([view.points[sample], own])
    refined = spherical_kmeans(
        points,
        normalize(means, dim=1),
        rows=torch.arange(len(sample), len(points), device=points.device),
        classes=labels.classes,
        sharpness=sharpness,
        n_rounds=settings.n_rounds,
        rate=settings.rate,
    )
    return Directions(labeled, refined, sharpness, settings.refined_weight)
