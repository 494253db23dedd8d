"""The kernel of the graph, roughly: for labels that came since its columns were made.

A column of it takes tens of products with the Laplacian. Labels that have one keep it. The kernel
is symmetric, so that these columns also say what it is between a new label and the others. From a
new label to other points only the slow modes count: that is all but what is very near to it.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from diffresnet.estimators.parts.part import unless_zero
from diffresnet.estimators.parts.propagation import GraphKernel, Smoothing
from diffresnet.estimators.points import FittedPoints, Places


@dataclass(frozen=True)
class RoughGraphKernel:
    """The kernel of the graph, seen from labeled points of which some are new.

    Attributes:
        smoothing: the kernel of all points.
        center: (m,) the means of the slow modes.
        rows: (n,) the labeled points.
        is_new: (n,) those without a column.
        gram: (n, n) the kernel between them.
        scale: what the kernel was divided by.
    """

    smoothing: Smoothing
    center: Tensor
    rows: Tensor
    is_new: Tensor
    gram: Tensor
    scale: float

    @classmethod
    def of(cls, points: FittedPoints, before: GraphKernel, rows: Tensor) -> "RoughGraphKernel":
        """Make the kernel of labeled points.

        Args:
            points: all of them, and their graph.
            before: the kernel as labels saw it that may still be there.
            rows: (n,) the labeled points.
        """
        smoothing = before.smoothing
        filter_ = smoothing.filter
        center = points.once("mode means", lambda: filter_.modes.mean(dim=0))
        is_new = ~torch.isin(rows, before.rows)
        seen = filter_.modes[rows] - center
        slow = (seen * filter_.gains) @ seen.mT
        gram = slow.double()
        known = rows[~is_new]
        held = smoothing.columns.hold(known) if len(known) else None
        if held is not None:
            own = held.entries(rows).double()
            local = (own[~is_new] - gram[~is_new][:, ~is_new]).diagonal().mean()
            gram[~is_new] = own.mT
            gram[:, ~is_new] = own
            gram[is_new, is_new] += local
        scale = unless_zero(float(gram.diagonal().mean()))
        return cls(smoothing, center, rows, is_new, gram / scale, scale)

    def expand(self, places: Places, coefficients: Tensor) -> Tensor:
        """Return sum_j k(x, x_j) c_j of some points x, (n, K)."""
        coefficients = coefficients / self.scale
        known, new = ~self.is_new, self.is_new
        filter_ = self.smoothing.filter
        seen = filter_.modes[self.rows[new]] - self.center
        sums = filter_.gains.unsqueeze(1) * (seen.mT @ coefficients[new].float())
        found = (places.read(filter_.modes) - self.center) @ sums
        if bool(known.any()):
            found = found + self.smoothing.sum_up(places, self.rows[known], coefficients[known])
        return found
