"""Transforms of the features of a task; each takes a batch of episodes and returns another."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import torch
from torch import Tensor
from torch.nn import functional

from diffresnet._support.checks import fail
from diffresnet._support.settings import Count, NonNegative, Positive, check_settings
from diffresnet.fewshot.episodes import Episodes
from diffresnet.fewshot.prototypes import rectified_prototypes
from diffresnet.graph.normalization import balance_dense

Whose: TypeAlias = Literal["base", "task", "own"]

OFFSET = 1e-6
EASE_OFFSET = 1e-4


Transform: TypeAlias = Callable[[Episodes], Episodes]
"""Changes the features of a batch of episodes."""


@dataclass(frozen=True)
class Center:
    """Subtract a mean (Appendix E.3.1).

    Attributes:
        by: whose mean: of the ``"base"`` classes, as in the paper; of all points of the ``"task"``;
            or of support and query each its ``"own"``, which presumes that both have the same
            proportions of the classes.
    """

    by: Whose = "base"

    __post_init__ = check_settings

    def __call__(self, episodes: Episodes) -> Episodes:
        """Return centered episodes."""
        if self.by == "own":
            support_mean = episodes.support.mean(dim=1, keepdim=True)
            query_mean = episodes.query.mean(dim=1, keepdim=True)
        elif self.by == "task":
            support_mean = query_mean = episodes.points.mean(dim=1, keepdim=True)
        else:
            if episodes.base_mean is None:
                remedy = "Put it before other transforms, or use 'center-task'."
                fail("Center", "base_mean", "known, that of features as they were", None, remedy)
            support_mean = query_mean = episodes.base_mean
        return _changed(episodes, episodes.support - support_mean, episodes.query - query_mean)


@dataclass(frozen=True)
class UnitNorm:
    """Divide every point by its Euclidean norm; 0 stays 0."""

    def __call__(self, episodes: Episodes) -> Episodes:
        """Return episodes of unit vectors."""
        support = functional.normalize(episodes.support, dim=-1)
        return _changed(episodes, support, functional.normalize(episodes.query, dim=-1))


@dataclass(frozen=True)
class Power:
    """Raise every feature to a power, x <- (x + 1e-6)^exponent; negative ones keep their sign.

    It makes the skewed features of networks that end in a relu more Gaussian.
    """

    exponent: Positive = 0.5

    __post_init__ = check_settings

    def __call__(self, episodes: Episodes) -> Episodes:
        """Return transformed episodes."""
        return _changed(episodes, self._raise(episodes.support), self._raise(episodes.query))

    def _raise(self, x: Tensor) -> Tensor:
        # 0 is added because it makes -0 positive.
        return x.abs().add_(OFFSET).pow_(self.exponent).copysign_(x + 0)


@dataclass(frozen=True)
class QueryShift:
    """Move the queries so that their mean is that of the support (Appendix E.3.1)."""

    def __call__(self, episodes: Episodes) -> Episodes:
        """Return episodes with shifted queries."""
        support_mean = episodes.support.mean(dim=1, keepdim=True)
        shift = support_mean - episodes.query.mean(dim=1, keepdim=True)
        return _changed(episodes, episodes.support, episodes.query + shift)


@dataclass(frozen=True)
class Rectify:
    """Replace the class means by `rectified_prototypes`, for methods that use prototypes.

    It must come after all transforms of features.
    """

    scale: float = 10.0

    def __call__(self, episodes: Episodes) -> Episodes:
        """Return the episodes with rectified prototypes."""
        return replace(episodes, rectified=rectified_prototypes(episodes, self.scale))


@dataclass(frozen=True)
class EaseProjection:
    """Project on the directions that keep likely members of a subspace together (EASE).

    With U the leading left singular vectors of X, W = abs(U U') and W1 all ones, both without
    diagonal and symmetrically normalized, project on the eigenvectors of X' (100 W1 - W) X with the
    smallest eigenvalues. Where there are more features than points, all is done in the span of the
    points; the eigenvectors outside of it, with eigenvalue 0, count as well, but show nothing.

    Attributes:
        n_subspaces: singular vectors; None for as many as classes.
        n_features: of the projected points, at most.
        repulsion: the factor of W1.
    """

    n_subspaces: Count | None = None
    n_features: Count = 40
    repulsion: NonNegative = 100.0

    __post_init__ = check_settings

    def __call__(self, episodes: Episodes) -> Episodes:
        """Return projected episodes."""
        points = episodes.points
        values, vectors = torch.linalg.eigh(points @ points.mT)
        leading = vectors[..., -(self.n_subspaces or episodes.n_classes) :]
        near = balance_dense((leading @ leading.mT).abs(), EASE_OFFSET)
        far = balance_dense(torch.ones_like(near), EASE_OFFSET)
        n_outside = points.shape[2] - points.shape[1]
        if n_outside > 0:
            points = vectors * values.clamp(min=0).sqrt().unsqueeze(-2)
        scatter = points.mT @ (self.repulsion * far - near) @ points
        values, directions = torch.linalg.eigh(scatter)
        # In order of eigenvalues, those outside come after the negative ones.
        places = torch.arange(values.shape[-1], device=values.device)
        places = places + max(n_outside, 0) * (values > 0)
        directions = directions * (places < self.n_features).unsqueeze(-2)
        projected = points @ directions[..., : self.n_features]
        n_support = episodes.n_support
        return _changed(episodes, projected[:, :n_support], projected[:, n_support:])


@dataclass(frozen=True)
class BalancedAffinities:
    """Replace features by affinities to all points of the task (Shalam 2024).

    Cosines of other points, exp(cos / regularization), are scaled until rows and columns sum to 1,
    then divided by the largest; a point is 1 to itself. Points are alike if others see them alike.

    Attributes:
        regularization: the smaller, the fewer affinities count.
        n_rounds: scalings of rows, then columns.
    """

    regularization: Positive = 0.2
    n_rounds: Count = 10

    __post_init__ = check_settings

    def __call__(self, episodes: Episodes) -> Episodes:
        """Return episodes whose features are affinities, as many as points."""
        points = functional.normalize(episodes.points, dim=-1)
        logs = points @ points.mT / self.regularization
        diagonal = logs.diagonal(dim1=-2, dim2=-1)
        for _ in range(self.n_rounds):
            diagonal.fill_(-torch.inf)
            logs -= logs.logsumexp(dim=-1, keepdim=True)
            logs -= logs.logsumexp(dim=-2, keepdim=True)
        affinities = (logs - logs.amax(dim=(-2, -1), keepdim=True)).exp_()
        affinities.diagonal(dim1=-2, dim2=-1).fill_(1)
        n_support = episodes.n_support
        return _changed(episodes, affinities[:, :n_support], affinities[:, n_support:])


def _changed(episodes: Episodes, support: Tensor, query: Tensor) -> Episodes:
    if episodes.rectified is not None:
        must, remedy = "after all transforms of features", "Put 'rectify' last."
        fail("apply_transforms", "rectify", must, "a transform of features after it", remedy)
    return replace(episodes, support=support, query=query, base_mean=None)


TRANSFORMS: dict[str, Transform] = {
    "center": Center("base"),
    "center-task": Center("task"),
    "center-own": Center("own"),
    "l2": UnitNorm(),
    "power": Power(),
    "shift": QueryShift(),
    "ease": EaseProjection(),
    "bpa": BalancedAffinities(),
    "rectify": Rectify(),
}
"""The transforms by their names on the command line."""


def parse_transforms(names: str) -> tuple[str, ...]:
    """Return the names in a text such as ``"center,l2,shift"``; "" and "none" mean none at all.

    Raises:
        ValueError: if a name is not one of `TRANSFORMS`.
    """
    parts = tuple(part.strip() for part in names.split(",") if part.strip())
    if parts == ("none",):
        return ()
    for part in parts:
        if part not in TRANSFORMS:
            listed = ", ".join(TRANSFORMS)
            remedy = "Join names by commas, in the order in which they act."
            fail("parse_transforms", "names", f"among {listed}", repr(part), remedy)
    return parts


def apply_transforms(episodes: Episodes, transforms: Sequence[Transform]) -> Episodes:
    """Apply transforms one after the other."""
    for transform in transforms:
        episodes = transform(episodes)
    return episodes
