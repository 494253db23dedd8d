"""Labels spread over the graph: ridge regression in the kernel (L / m + floor)^-2.

L is the Laplacian and m its mean rate. With a small ridge that is Laplace learning of second order,
with a large one Poisson learning; held-out labels choose.
"""

from dataclasses import dataclass
from functools import cached_property, partial
from threading import RLock
from typing import Any

import torch
from torch import Tensor

from diffresnet.diffusion.filters import GraphFilter
from diffresnet.estimators.parts.kept_columns import CHUNK, HeldColumns, KeptColumns
from diffresnet.estimators.parts.part import RidgePart, Targets, unless_zero
from diffresnet.estimators.points import FittedPoints, Places, average_near
from diffresnet.graph import matrix as mx
from diffresnet.learning.mixture_settings import FLOOR
from diffresnet.learning.ridge import Penalty

BLOCK = 2**22
"""Numbers of columns that are in double precision at a time."""


@dataclass(frozen=True, eq=False)
class Smoothing:
    """(L / m + floor)^-2 of a graph: what does not depend on labels.

    Attributes:
        filter: the function of the Laplacian.
    """

    filter: GraphFilter

    @cached_property
    def columns(self) -> KeptColumns:
        """Those of it that labeled points need."""
        return KeptColumns(self.filter.n_points, self._make_columns)

    def _make_columns(self, rows: Tensor) -> Tensor:
        columns = torch.zeros(self.filter.n_points, len(rows))
        columns[rows, torch.arange(len(rows))] = 1
        return self.filter.apply(columns).mT

    def entries(self, rows: Tensor) -> Tensor:
        """Return the kernel between some points, (n, n)."""
        held = self.columns.hold(rows)
        if held is not None:
            return held.entries(rows).double()
        blocks = [self.columns.make(some)[:, rows] for some in rows.split(CHUNK)]
        return torch.cat(blocks).mT.double()

    def sum_up(self, places: Places, rows: Tensor, coefficients: Tensor) -> Tensor:
        """Return what coefficients of the rows make of some points, (n, K).

        A new point has the mean of its neighbors.
        """
        held = self.columns.hold(rows)
        if held is None:
            return places.read(self._spread(rows, coefficients))
        if places.attachment is None:
            return held.sum_up(coefficients, places.rows)
        return average_near(places.attachment, partial(_sum_near, held, coefficients.double()))

    def _spread(self, rows: Tensor, coefficients: Tensor) -> Tensor:
        """Return what coefficients make of all points, (N, K).

        It is kept until others are asked for: points are scored some at a time.
        """
        with self._lock:
            last = self._last.get("given")
            if last is None or not all(map(torch.equal, last, (rows, coefficients))):
                sources = torch.zeros(self.columns.n_points, coefficients.shape[1])
                sources[rows] = coefficients.float()
                self._last["given"] = rows, coefficients
                self._last["found"] = (self.filter.apply(sources),)
            return self._last["found"][0]

    @cached_property
    def _last(self) -> dict[str, tuple[Tensor, ...]]:
        return {}

    @cached_property
    def _lock(self) -> RLock:
        return RLock()

    def __getstate__(self) -> dict[str, Any]:
        """Leave behind what can be made again."""
        return {"filter": self.filter}


def _sum_near(held: HeldColumns, coefficients: Tensor, near: Tensor) -> Tensor:
    """Return the sums of some points by the columns, (m, K).

    In double precision, so that a new point is scored alike in any company.
    """
    blocks = near.split(max(1, BLOCK // max(1, len(coefficients))))
    return torch.cat([held.entries(some).double() @ coefficients for some in blocks])


@dataclass(frozen=True)
class GraphKernel:
    """The kernel of the graph, seen from the labeled points.

    Attributes:
        smoothing: the kernel of all points.
        rows: (n,) the labeled points.
        gram: (n, n) the kernel between them.
        scale: what the kernel was divided by.
    """

    smoothing: Smoothing
    rows: Tensor
    gram: Tensor
    scale: float

    @classmethod
    def of(cls, points: FittedPoints, labels: Targets) -> "GraphKernel":
        """Make the kernel of the labeled points."""
        smoothing = points.once("smoothing", lambda: Smoothing(smoothing_filter(points)))
        gram = smoothing.entries(labels.rows)
        scale = unless_zero(float(gram.diagonal().mean()))
        return cls(smoothing, labels.rows, gram / scale, scale)

    def expand(self, places: Places, coefficients: Tensor) -> Tensor:
        """Return sum_j k(x, x_j) c_j of some points x, (n, K)."""
        return self.smoothing.sum_up(places, self.rows, coefficients / self.scale)


def smoothing_filter(points: FittedPoints) -> GraphFilter:
    """Return (L / m + floor)^-2 of a graph."""
    laplacian = points.operator.laplacian
    mean = max(float(mx.diagonal(laplacian).double().mean()), 1e-12)
    return GraphFilter.of(laplacian, points.spectrum, lambda rates: (rates / mean + FLOOR) ** -2)


def fit_propagation(
    kernel: GraphKernel, labels: Targets, penalty: Penalty | None = None
) -> RidgePart:
    """Learn from labels through the graph alone."""
    ridge = labels.regress(kernel.gram, penalty=penalty)
    return RidgePart.of("labels spread over the graph", ridge, (1.0, kernel))
