"""Where the points lie on a sphere: by the graph, or by their features."""

from dataclasses import dataclass

from torch import Tensor
from torch.nn.functional import normalize

from diffresnet.diffusion.spectrum import Spectrum


@dataclass(frozen=True)
class View:
    """Points on a sphere, and how a new point is put there.

    Attributes:
        points: (N, d) of length one.
        factors: (d,) what the coordinates of a new point are multiplied by first.
        center: (d,) what is then taken off, before the point is scaled to length one.
    """

    points: Tensor
    factors: Tensor
    center: Tensor

    @classmethod
    def make(cls, raw: Tensor, factors: Tensor) -> "View":
        """Scale the coordinates, take off their mean, and go to the sphere."""
        scaled = raw * factors
        center = scaled.mean(dim=0)
        return cls(normalize(scaled - center, dim=1), factors, center)

    @classmethod
    def of_graph(cls, spectrum: Spectrum, step_size: float, n_steps: int) -> "View":
        """Return where diffusion puts the points."""
        return cls.make(spectrum.modes, spectrum.decay(step_size, n_steps))

    @classmethod
    def of_features(cls, points: Tensor) -> "View":
        """Return where the features put them."""
        return cls.make(points, points.new_ones(points.shape[1]))

    def place(self, raw: Tensor) -> Tensor:
        """Put points on the sphere."""
        return normalize(raw * self.factors - self.center, dim=1)
