"""What scores the points of a view: the labels, and prototypes that other points have moved."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import normalize

from diffresnet.learning.labels import Labels
from diffresnet.learning.prototype_settings import PrototypeSettings
from diffresnet.learning.prototypes import class_means, members_of, spherical_kmeans
from diffresnet.learning.views import View


@dataclass(frozen=True)
class Directions:
    """What scores the points of a view.

    Attributes:
        means: (K, d) of the labeled points of each class.
        refined: (K, d) prototypes that the other points have moved.
        sharpness: of the view.
        refined_weight: of these prototypes against the means.
    """

    means: Tensor
    refined: Tensor
    sharpness: float
    refined_weight: float

    def score(self, points: Tensor) -> Tensor:
        """Return the scores (n, K): how near the mean is, and how alike the prototype.

        The first is minus half of the squared distance, but for what classes share.
        """
        slopes, halves = self._line
        return torch.addmm(-halves.to(points), points, slopes.mT.to(points))

    def score_fitted(self, view: View, raw: Tensor, lengths: Tensor) -> Tensor:
        """Return the same of fitted points, by their coordinates and lengths in a view."""
        slopes, halves = self._line
        return view.along(slopes, raw, lengths).sub_(halves)

    @property
    def _line(self) -> tuple[Tensor, Tensor]:
        """What points are multiplied with, (K, d), and what is then taken off, (K,)."""
        slopes = self.sharpness * torch.lerp(self.means, self.refined, self.refined_weight)
        halves = self.sharpness * (1 - self.refined_weight) * self.means.square().sum(dim=1) / 2
        return slopes, halves


def find_directions(
    view: View,
    sets: Sequence[Labels],
    sample: Tensor,
    settings: PrototypeSettings,
    sharper: float = 1.0,
) -> list[Directions]:
    """Make the prototypes of a view, and refine them by a sample of the points.

    Args:
        view: of the points.
        sets: labels of some; each set has prototypes of its own.
        sample: (n, d) points that refine.
        settings: of the refinement.
        sharper: what the sharpness is multiplied by.
    """
    sums, means = list[Tensor](), list[Tensor]()
    for labels in sets:
        own = view.at(labels.rows)
        members = members_of(labels.classes, labels.n_classes, own.dtype)
        sums.append(members @ own)
        means.append(class_means(own, members))
    sharpness = sharper * settings.sharpness
    refined = spherical_kmeans(
        sample,
        normalize(torch.stack(means), dim=-1),
        anchors=torch.stack(sums),
        sharpness=sharpness,
        n_rounds=settings.n_rounds,
        rate=settings.rate,
    )
    found = zip(means, refined.unbind(), strict=True)
    return [Directions(*both, sharpness, settings.refined_weight) for both in found]
