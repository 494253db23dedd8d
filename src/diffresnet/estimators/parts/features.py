"""The features: ridge regression with a Gaussian kernel.

Held-out labels choose its width, and whether points are taken with their lengths or on the sphere.
Where the graph is not made of the features, they may also be diffused over it first.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import normalize

from diffresnet.estimators.parts.part import RidgePart, Targets, unless_zero
from diffresnet.estimators.points import FittedPoints, Places
from diffresnet.graph import matrix as mx

SHARPNESSES = (0.3, 1.0, 3.0)
"""What squared distances are multiplied by, in units of their median."""

STRENGTHS = (2.0, 8.0)
"""Of diffusion, in units of the mean rate: with a graph of its own, a point may also be taken as
diffusion leaves it."""

N_REFERENCES = 400
"""Points that stand for all where the kernel is centered."""

N_FOR_CHOICE = 500
"""A kernel is chosen by at most this number of labels."""

BLOCK = 2**22
"""How many distances are in memory at a time."""


@dataclass(frozen=True)
class Geometry:
    """How features become points of this part.

    Attributes:
        with_lengths: whether points have their lengths, or are on the sphere.
        diffused: (N, d) the fitted points after some diffusion, if it is these that count.
    """

    with_lengths: bool
    diffused: Tensor | None = None

    def of(self, places: Places) -> Tensor:
        """Return the points (n, d)."""
        if self.diffused is not None:
            return normalize(places.read(self.diffused).float(), dim=1)
        if places.points is None or places.lengths is None:
            raise ValueError("Geometry: `places` must have features, got none.")
        points = places.points.float()
        return points * places.lengths.float().unsqueeze(1) if self.with_lengths else points


def geometries(points: FittedPoints, step_size: float) -> Iterator[Geometry]:
    """Yield the geometries to choose from."""
    yield Geometry(with_lengths=False)
    yield Geometry(with_lengths=True)
    if points.points is None or not points.has_own_graph:
        return
    mean = float(mx.diagonal(points.operator.laplacian).mean())
    for strength in STRENGTHS:
        n_steps = max(1, round(strength / max(step_size * mean, 1e-6)))
        diffused = points.operator.diffuse(points.points, step_size, n_steps)
        yield Geometry(with_lengths=False, diffused=diffused.double())


@dataclass(frozen=True)
class FeatureKernel:
    """A Gaussian kernel, centered, seen from the labeled points.

    Attributes:
        geometry: of the points.
        own: (n, d) the labeled points.
        references: (m, d) points that stand for all.
        factor: what squared distances are multiplied by.
        means: (n + 1,) of the kernel over the references, of the labeled points and of all pairs.
        gram: (n, n) the kernel of the labeled points.
        scale: what the kernel was divided by.
    """

    geometry: Geometry
    own: Tensor
    references: Tensor
    factor: float
    means: Tensor
    gram: Tensor
    scale: float

    @classmethod
    def of(
        cls, geometry: Geometry, own: Tensor, references: Tensor, factor: float
    ) -> "FeatureKernel":
        """Make the kernel of the labeled points."""
        means = _gaussian(own, references, factor).mean(dim=1)
        mean = _gaussian(references, references, factor).mean()
        gram = (_gaussian(own, own, factor) - means - means.unsqueeze(1) + mean).double()
        scale = unless_zero(float(gram.diagonal().mean()))
        every = torch.cat([means, mean.reshape(1)])
        return cls(geometry, own, references, factor, every, gram / scale, scale)

    def span(self, coefficients: Tensor) -> "FeatureScorer":
        """Return the function that coefficients of the labeled points stand for."""
        return FeatureScorer(self, coefficients / self.scale)

    def expand(self, points: Tensor, coefficients: Tensor) -> Tensor:
        """Return sum_j k(x, x_j) c_j of some points x, (n, K)."""
        blocks = points.split(max(1, BLOCK // (len(self.own) + len(self.references))))
        single = coefficients.float()
        return torch.cat([self._from_labels(block) @ single for block in blocks]).double()

    def _from_labels(self, points: Tensor) -> Tensor:
        means = _gaussian(points, self.references, self.factor).mean(dim=1, keepdim=True)
        plain = _gaussian(points, self.own, self.factor)
        return plain - means - self.means[:-1] + self.means[-1]


def _gaussian(left: Tensor, right: Tensor, factor: float) -> Tensor:
    return (-factor * torch.cdist(left, right).square()).exp()


@dataclass(frozen=True)
class FeatureScorer:
    """A function that a kernel of features spans.

    Attributes:
        kernel: of features.
        coefficients: (n, K).
    """

    kernel: FeatureKernel
    coefficients: Tensor

    def score(self, places: Places) -> Tensor:
        """Return its values."""
        return self.kernel.expand(self.kernel.geometry.of(places), self.coefficients)


def feature_kernels(
    points: FittedPoints, labels: Targets, step_size: float, generator: torch.Generator
) -> Iterator[FeatureKernel]:
    """Yield the kernels to choose from."""
    order = torch.randperm(points.operator.n_points, generator=generator)[:N_REFERENCES]
    for geometry in geometries(points, step_size):
        everything = geometry.of(points.places)
        references = everything[order]
        median = float(torch.cdist(references, references).square().median())
        for sharpness in SHARPNESSES:
            factor = sharpness / median if median > 0 else 1.0
            yield FeatureKernel.of(geometry, everything[labels.rows], references, factor)


def choose_kernel(kernels: list[FeatureKernel], labels: Targets, order: Tensor) -> FeatureKernel:
    """Return the kernel with the least error of held-out labels.

    Args:
        kernels: to choose from.
        labels: of the points.
        order: (n,) of the labels; the first of them are tried.
    """
    tried = order[:N_FOR_CHOICE]

    def error(kernel: FeatureKernel) -> float:
        return labels.regress(kernel.gram[tried][:, tried], tried).error

    return min(kernels, key=error)


def fit_features(kernel: FeatureKernel, labels: Targets) -> RidgePart:
    """Learn from labels by the features."""
    ridge = labels.regress(kernel.gram)
    name = "features alone" if kernel.geometry.diffused is None else "diffused features"
    return RidgePart.of(name, ridge, ((1.0, kernel),))
