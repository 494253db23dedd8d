"""What a fit computes from the points alone: everything but what the labels say."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from scipy.sparse.csgraph import connected_components
from torch import Tensor

from diffresnet._support.types import Normalization, Search
from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.estimators.features import N_FOR_CLASSES, FeatureSpace
from diffresnet.estimators.spectrum import Spectrum
from diffresnet.estimators.views import View
from diffresnet.graph import matrix as mx
from diffresnet.graph.weights import build_weights

FEATURE_SHARPNESS = 20.0


@dataclass(frozen=True)
class FittedPoints:
    """Points, their graph, and the modes of its diffusion.

    Attributes:
        space: how features become points; None if there are none.
        points: (N, d) the points; None if there is a graph only.
        operator: of the graph.
        spectrum: of the operator.
    """

    space: FeatureSpace | None
    points: Tensor | None
    operator: DiffusionOperator
    spectrum: Spectrum

    @classmethod
    def from_features(
        cls,
        features: Any,
        *,
        links: Tensor | None,
        n_modes: int,
        n_top: int,
        bandwidth_rank: int,
        normalization: Normalization,
        search: Search,
        seed: int,
    ) -> "FittedPoints":
        """Build the graph of the nearest neighbors, unless `links` gives one, and decompose it."""
        space, points = FeatureSpace.fit(features, seed)
        if links is None:
            n_points = len(points)
            links = build_weights(
                points,
                min(n_top, n_points),
                bandwidth_rank=min(bandwidth_rank, n_points),
                normalization=normalization,
                search=search,
            )
        operator = DiffusionOperator(links)
        return cls(space, points, operator, Spectrum.of(operator, n_modes))

    @classmethod
    def from_graph(cls, links: Tensor, n_modes: int) -> "FittedPoints":
        """Decompose a graph of points that have no features."""
        operator = DiffusionOperator(links)
        return cls(None, None, operator, Spectrum.of(operator, n_modes))

    @cached_property
    def components(self) -> npt.NDArray[np.int32]:
        """The connected part of the graph that each point belongs to, (N,)."""
        return connected_components(mx.to_scipy(self.operator.weights), directed=False)[1]

    @cached_property
    def feature_view(self) -> View | None:
        """The points by their features, or None."""
        if self.points is None:
            return None
        shown = self.points[:, :N_FOR_CLASSES]
        return View.make(shown, shown.new_ones(shown.shape[1]), FEATURE_SHARPNESS, by_mean=True)

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return all of it as arrays."""
        starts, columns, values = mx.csr_parts(self.operator.weights)
        parts: dict[str, Tensor | None] = {
            "row_starts": starts,
            "columns": columns,
            "values": values,
            "rates": self.spectrum.rates,
            "modes": self.spectrum.modes,
            "points": self.points,
        }
        if self.space is not None:
            parts |= {"center": self.space.center, "sketch": self.space.sketch}
            parts |= {"spread": self.space.spread, "directions": self.space.directions}
        return {name: part.numpy() for name, part in parts.items() if part is not None}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> "FittedPoints":
        """Take what `to_arrays` returned."""

        def get(name: str) -> Tensor | None:
            return torch.from_numpy(arrays[name]) if name in arrays else None

        def need(name: str) -> Tensor:
            return torch.from_numpy(arrays[name])

        points = get("points")
        space = None
        if points is not None:
            space = FeatureSpace(get("sketch"), need("center"), get("spread"), get("directions"))
        weights = mx.csr(need("row_starts"), need("columns"), need("values"))
        spectrum = Spectrum(need("rates"), need("modes"))
        return cls(space, points, DiffusionOperator(weights), spectrum)
