"""Where the points lie on a sphere: by the graph, or by their features."""

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from diffresnet._support.threads import share
from diffresnet.diffusion.spectrum import Spectrum

ROWS = 2**14
"""Points that are measured at a time."""

NEAREST = 1e-5
"""A point nearer to the center, in parts of how far both are from zero, has no direction but by
rounding."""


@dataclass(frozen=True)
class View:
    """Points on a sphere: the fitted ones, and how any other is put there.

    Attributes:
        raw: (N, d) coordinates of the fitted points.
        factors: (d,) what coordinates are multiplied by first.
        center: (d,) what is then taken off, before a point is scaled to length one.
    """

    raw: Tensor
    factors: Tensor
    center: Tensor

    @classmethod
    def make(cls, raw: Tensor, factors: Tensor) -> "View":
        """Scale the coordinates, take off their mean, and go to the sphere."""
        return cls(raw, factors, raw.mean(dim=0) * factors)

    @classmethod
    def of_graph(cls, spectrum: Spectrum, step_size: float, n_steps: int) -> "View":
        """Return where diffusion puts the points."""
        return cls.make(spectrum.modes, spectrum.decay(step_size, n_steps))

    @classmethod
    def of_features(cls, points: Tensor) -> "View":
        """Return where the features put them."""
        return cls.make(points, points.new_ones(points.shape[1]))

    @cached_property
    def lengths(self) -> Tensor:
        """Of the fitted points before they are scaled to one, (N,); not below what can be told."""
        blocks = self.raw.split(ROWS)
        return torch.cat(share(lambda some: self._measure(some * self.factors), blocks))

    def _measure(self, scaled: Tensor) -> Tensor:
        least = (NEAREST * scaled.norm(dim=1)).clamp(min=1e-12)
        return torch.maximum((scaled - self.center).norm(dim=1), least)

    @property
    def points(self) -> Tensor:
        """All fitted points on the sphere, (N, d)."""
        return self.place(self.raw)

    def at(self, rows: Tensor) -> Tensor:
        """Return some of the fitted points on the sphere, (n, d)."""
        return self.place(self.raw[rows])

    def place(self, raw: Tensor) -> Tensor:
        """Put points on the sphere; those without a direction stay near the center."""
        scaled = raw * self.factors
        return (scaled - self.center).div_(self._measure(scaled).unsqueeze(1))

    def along(self, slopes: Tensor, raw: Tensor, lengths: Tensor) -> Tensor:
        """Return the products (n, K) of fitted points on the sphere with slopes, (K, d).

        The slopes are moved instead of the points, which are many.

        Args:
            slopes: of the products.
            raw: (n, d) the coordinates of the points.
            lengths: (n,) theirs.
        """
        found = torch.addmm(-(slopes @ self.center), raw, (slopes * self.factors).mT)
        return found.div_(lengths.unsqueeze(1))
