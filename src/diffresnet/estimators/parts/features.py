"""The features: ridge regression with a Gaussian kernel.

Held-out labels choose its width, and whether points are taken with their lengths or on the sphere.
Where the graph is not made of the features, they may also be diffused over it first.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor
from torch.nn.functional import normalize

from diffresnet._support.threads import share
from diffresnet.estimators.parts.kept_columns import KeptColumns
from diffresnet.estimators.parts.part import RidgePart, Targets, unless_zero
from diffresnet.estimators.points import FittedPoints, Places
from diffresnet.learning.mixture_settings import N_REFERENCES
from diffresnet.learning.ridge import Penalty

SHARPNESSES = (0.3, 1.0, 3.0)
"""What squared distances are multiplied by, in units of their median."""

STRENGTHS = (2.0, 8.0)
"""Of diffusion, in units of the mean rate: with a graph of its own, a point may also be taken as
diffusion leaves it."""

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
    for strength in STRENGTHS:
        yield Geometry(with_lengths=False, diffused=points.diffused(step_size, strength))


@dataclass(frozen=True, eq=False)
class Gaussian:
    """exp(-factor |x - y|^2) on the fitted points: what does not depend on labels.

    Attributes:
        points: that were fitted.
        geometry: of the points.
        references: (m, d) points that stand for all.
        factor: what squared distances are multiplied by.
    """

    points: FittedPoints
    geometry: Geometry
    references: Tensor
    factor: float

    @cached_property
    def mean(self) -> Tensor:
        """The mean over pairs of references."""
        return self._between(self.references, self.references).mean()

    @cached_property
    def means(self) -> Tensor:
        """The means over the references of all fitted points, (N,)."""
        blocks = self.points.blocks()
        return torch.cat(share(lambda places: self.mean_at(self.geometry.of(places)), blocks))

    @cached_property
    def columns(self) -> KeptColumns:
        """What it is from labeled points to all fitted ones."""
        return KeptColumns(self.points.operator.n_points, self._make_columns)

    def mean_at(self, points: Tensor) -> Tensor:
        """Return the mean over the references, (n,)."""
        return self._between(points, self.references.to(points)).mean(dim=1)

    def sum_up(self, points: Tensor, own: Tensor, coefficients: Tensor) -> Tensor:
        """Return sum_j k(x, x_j) c_j of some points, (n, K); `own` are the x_j."""
        blocks = points.split(max(1, BLOCK // len(own)))
        own, coefficients = own.to(points), coefficients.to(points)
        return torch.cat([self._between(block, own) @ coefficients for block in blocks])

    def _make_columns(self, rows: Tensor) -> Tensor:
        own = self.geometry.of(self.points.some_places(rows))
        blocks = share(
            lambda places: self._between(own, self.geometry.of(places)), self.points.blocks()
        )
        return torch.cat(blocks, dim=1)

    def _between(self, left: Tensor, right: Tensor) -> Tensor:
        return (_squared_distances(left, right) * -self.factor).exp_()


def _squared_distances(left: Tensor, right: Tensor) -> Tensor:
    """Return |x - y|^2 of two sets of points, (n, m), by one product."""
    own, other = left.square().sum(dim=1), right.square().sum(dim=1)
    return torch.addmm(other, left, right.mT, alpha=-2).add_(own.unsqueeze(1)).clamp_(min=0)


@dataclass(frozen=True)
class FeatureKernel:
    """A Gaussian kernel, centered, seen from the labeled points.

    Attributes:
        gaussian: the kernel as it is.
        rows: (n,) the labeled points.
        own: (n, d) where they are.
        means: (n,) of the kernel over the references.
        gram: (n, n) the kernel of the labeled points.
        scale: what the kernel was divided by.
        keeps: whether columns are made and kept of labeled points that have none.
    """

    gaussian: Gaussian
    rows: Tensor
    own: Tensor
    means: Tensor
    gram: Tensor
    scale: float
    keeps: bool = True

    @classmethod
    def several(cls, family: list[Gaussian], rows: Tensor) -> Iterator["FeatureKernel"]:
        """Yield the kernels of the labeled points, of Gaussians that have one geometry."""
        first = family[0]
        own = first.geometry.of(first.points.some_places(rows))
        between = _squared_distances(own, own)
        to_references = _squared_distances(own, first.references)
        for one in family:
            means = (to_references * -one.factor).exp().mean(dim=1)
            plain = (between * -one.factor).exp()
            gram = (plain - means - means.unsqueeze(1) + one.mean).double()
            scale = unless_zero(float(gram.diagonal().mean()))
            yield cls(one, rows, own, means, gram / scale, scale)

    def expand(self, places: Places, coefficients: Tensor) -> Tensor:
        """Return sum_j k(x, x_j) c_j of some points x, (n, K)."""
        gaussian, coefficients = self.gaussian, coefficients / self.scale
        if places.attachment is None:
            plain = self._expand_fitted(places, coefficients)
            means = places.read(gaussian.means)
        else:  # in double precision: a new point is scored alike in any company
            points = gaussian.geometry.of(places).double()
            plain = gaussian.sum_up(points, self.own, coefficients)
            means = gaussian.mean_at(points)
        shift = (self.means - gaussian.mean).double() @ coefficients
        sums = coefficients.sum(dim=0).to(plain)
        return plain - means.unsqueeze(1) * sums - shift.to(plain)

    def _expand_fitted(self, places: Places, coefficients: Tensor) -> Tensor:
        """Return the sums, before the kernel is centered, by the columns that are there."""
        columns = self.gaussian.columns
        if self.keeps:
            columns.hold(self.rows)
        is_held, held = columns.held(self.rows)
        parts = list[Tensor]()
        if bool(is_held.any()):
            parts.append(held.sum_up(coefficients[is_held], places.rows))
        if not bool(is_held.all()):
            points, missing = self.gaussian.geometry.of(places), ~is_held
            parts.append(self.gaussian.sum_up(points, self.own[missing], coefficients[missing]))
        return parts[0] if len(parts) == 1 else parts[0] + parts[1]


def feature_kernels(
    points: FittedPoints, labels: Targets, step_size: float
) -> Iterator[FeatureKernel]:
    """Yield the kernels to choose from."""
    for family in _kept_families(points, step_size):
        yield from FeatureKernel.several(family, labels.rows)


def feature_kernel(
    points: FittedPoints, labels: Targets, step_size: float, which: int
) -> FeatureKernel:
    """Return one of the kernels, the others of which are not made."""
    every = [one for family in _kept_families(points, step_size) for one in family]
    return next(FeatureKernel.several([every[which]], labels.rows))


def _kept_families(points: FittedPoints, step_size: float) -> list[list[Gaussian]]:
    return points.once(("gaussians", step_size), lambda: list(_families(points, step_size)))


def _families(points: FittedPoints, step_size: float) -> Iterator[list[Gaussian]]:
    """Yield Gaussians of several widths, for each geometry."""
    generator = torch.Generator().manual_seed(0)
    rows = torch.randperm(points.operator.n_points, generator=generator)[:N_REFERENCES]
    for geometry in geometries(points, step_size):
        references = geometry.of(points.some_places(rows))
        median = float(_squared_distances(references, references).median())
        yield [
            Gaussian(points, geometry, references, sharpness / median if median > 0 else 1.0)
            for sharpness in SHARPNESSES
        ]


def choose_kernel(kernels: list[FeatureKernel], labels: Targets, order: Tensor) -> int:
    """Return which kernel has the least error of held-out labels.

    Args:
        kernels: to choose from.
        labels: of the points.
        order: (n,) of the labels; the first of them are tried.
    """
    tried = order[:N_FOR_CHOICE]

    errors = [labels.regress(one.gram[tried][:, tried], tried).error for one in kernels]
    return errors.index(min(errors))


def fit_features(
    kernel: FeatureKernel, labels: Targets, penalty: Penalty | None = None
) -> RidgePart:
    """Learn from labels by the features."""
    ridge = labels.regress(kernel.gram, penalty=penalty)
    is_diffused = kernel.gaussian.geometry.diffused is not None
    name = "diffused features" if is_diffused else "features alone"
    return RidgePart.of(name, ridge, (1.0, kernel))
