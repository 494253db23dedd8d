"""Where the points lie on a sphere: by the graph, or by their features."""

from dataclasses import dataclass

from torch import Tensor
from torch.nn.functional import normalize

from diffresnet.diffusion.spectrum import Spectrum


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

    @property
    def points(self) -> Tensor:
        """All fitted points on the sphere, (N, d)."""
        return self.place(self.raw)

    def at(self, rows: Tensor) -> Tensor:
        """Return some of the fitted points on the sphere, (n, d)."""
        return self.place(self.raw[rows])

    def place(self, raw: Tensor) -> Tensor:
        """Put points on the sphere."""
        return normalize(raw * self.factors - self.center, dim=1)
