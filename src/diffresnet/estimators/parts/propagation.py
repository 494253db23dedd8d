"""Labels spread over the graph: ridge regression in the kernel (L / m + floor)^-2.

L is the Laplacian and m its mean rate. With a small ridge that is Laplace learning of second order,
with a large one Poisson learning; held-out labels choose.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from diffresnet.diffusion.filters import GraphFilter
from diffresnet.estimators.parts.part import RidgePart, Targets, unless_zero
from diffresnet.estimators.points import FittedPoints, Places
from diffresnet.graph import matrix as mx

FLOOR = 0.01
"""Modes slower than this, relative to the mean rate, are all as smooth."""

LARGEST_KEPT = 2**27
"""How many numbers of the kernel may be kept for labels to come."""

BLOCK = 256
"""Columns of the kernel that are made at a time."""


@dataclass(frozen=True)
class GraphScorer:
    """A function on the fitted points; a new point has the mean of its neighbors.

    Attributes:
        values: (N, K).
    """

    values: Tensor

    def score(self, places: Places) -> Tensor:
        """Return its values."""
        return places.read(self.values)


@dataclass(frozen=True)
class GraphKernel:
    """The kernel of the graph, seen from the labeled points.

    Attributes:
        filter: (L / m + floor)^-2.
        rows: (n,) the labeled points.
        gram: (n, n) the kernel between them.
        scale: what the kernel was divided by.
    """

    filter: GraphFilter
    rows: Tensor
    gram: Tensor
    scale: float

    @classmethod
    def of(cls, points: FittedPoints, labels: Targets) -> "GraphKernel":
        """Make the kernel of the labeled points."""
        filtered, rows = smoothing_filter(points), labels.rows
        gram = _entries(filtered, rows, points.kernel_columns)
        scale = unless_zero(float(gram.diagonal().mean()))
        return cls(filtered, rows, gram / scale, scale)

    def span(self, coefficients: Tensor) -> GraphScorer:
        """Return the function that coefficients of the labeled points stand for."""
        n_points = self.filter.modes.shape[0]
        sources = coefficients.new_zeros(n_points, coefficients.shape[1])
        sources[self.rows] = coefficients / self.scale
        return GraphScorer(self.filter.apply(sources))


def smoothing_filter(points: FittedPoints) -> GraphFilter:
    """Return (L / m + floor)^-2 of a graph."""
    laplacian = points.operator.laplacian
    mean = max(float(mx.diagonal(laplacian).double().mean()), 1e-12)
    return GraphFilter.of(laplacian, points.spectrum, lambda rates: (rates / mean + FLOOR) ** -2)


def fit_propagation(kernel: GraphKernel, labels: Targets) -> RidgePart:
    """Learn from labels through the graph alone."""
    ridge = labels.regress(kernel.gram)
    return RidgePart.of("labels spread over the graph", ridge, ((1.0, kernel),))


def _entries(filtered: GraphFilter, rows: Tensor, kept: dict[int, Tensor]) -> Tensor:
    """Return the kernel between some points, (n, n).

    Args:
        filtered: the kernel.
        rows: (n,) which points.
        kept: columns of the kernel that are known, by row; those that are not are added, as long as
            there is room for them.
    """
    n_points = filtered.modes.shape[0]
    missing = torch.tensor([row for row in rows.tolist() if row not in kept], dtype=torch.long)
    found: dict[int, Tensor] = {}
    for own in missing.split(BLOCK) if len(missing) else ():
        columns = filtered.apply(_indicators(own, n_points)).float()
        for row, column in zip(own.tolist(), columns.mT, strict=True):
            found[row] = column[rows].clone()
            if (len(kept) + 1) * n_points <= LARGEST_KEPT:
                kept[row] = column.clone()
    entries = [found[row] if row in found else kept[row][rows] for row in rows.tolist()]
    return torch.stack(entries, dim=1).double()


def _indicators(rows: Tensor, n_points: int) -> Tensor:
    columns = torch.zeros(n_points, len(rows), dtype=torch.float64)
    columns[rows, torch.arange(len(rows))] = 1
    return columns
