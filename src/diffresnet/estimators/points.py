"""What a fit computes from the points alone: everything but what the labels say."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, TypeVar, get_args

import numpy as np
import numpy.typing as npt
import torch
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from torch import Tensor
from torch.nn.functional import normalize

from diffresnet._support.stages import stage
from diffresnet._support.types import FoundBy, Normalization, Search
from diffresnet.diffusion.energy import autocorrelation
from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.diffusion.spectrum import Spectrum
from diffresnet.graph import matrix as mx
from diffresnet.graph.attachment import attach_points, attach_rows
from diffresnet.graph.exact_search import Neighbors
from diffresnet.graph.neighbors import name_search, search_neighbors
from diffresnet.graph.recall import measure_recall
from diffresnet.graph.weights import Bandwidths, weigh_neighbors
from diffresnet.learning.features import FeatureSpace, Placed
from diffresnet.learning.mixture_settings import BANDWIDTH_SCALE
from diffresnet.learning.strength import MODES_PER_CLASS

ROWS = 2**14
"""Points that are scored at a time."""

Made = TypeVar("Made")

LEAST_LIKENESS = 0.1
"""Features are diffused over a given graph if their autocorrelation is above this."""

N_MODES = 100
"""Slow modes; of many classes `MODES_PER_CLASS` each."""


@dataclass(frozen=True)
class Places:
    """Points as a solver sees them: the fitted ones, or new ones attached to these.

    Attributes:
        points: (n, d) their features as points; None if there are none.
        lengths: (n,) the lengths that these had before they were scaled to one.
        attachment: (n, N) weights of the fitted points that a new one receives from; None for the
            fitted points themselves.
        rows: (n,) which of the fitted points, or from which to which, if not all.
    """

    points: Tensor | None
    lengths: Tensor | None = None
    attachment: sparse.csr_array | None = None
    rows: Tensor | slice | None = None

    def read(self, values: Tensor) -> Tensor:
        """Return what the points have of values of the fitted points, (N,) or (N, m)."""
        if self.attachment is None:
            return values if self.rows is None else values[self.rows]
        return average_near(self.attachment, lambda near: values[near])


def average_near(attachment: sparse.csr_array, values: Callable[[Tensor], Tensor]) -> Tensor:
    """Return what new points have of values of the fitted points that they receive from.

    Args:
        attachment: (n, N) weights of the fitted points.
        values: some of these, (m,), to their values, (m,) or (m, K).
    """
    near, places = np.unique(attachment.indices, return_inverse=True)
    parts = (attachment.data, places, attachment.indptr)
    means = sparse.csr_array(parts, shape=(attachment.shape[0], len(near)))
    return torch.from_numpy(means @ values(torch.from_numpy(near)).double().numpy())


@dataclass(frozen=True)
class FittedPoints:
    """Points, their graph, and the modes of its diffusion.

    Attributes:
        space: how features become points; None if there are none.
        points: (N, d) the points; None if there is a graph only.
        lengths: (N,) see `Places`.
        operator: of the graph.
        spectrum: of the operator.
        has_own_graph: whether the graph was given, and not made of the features.
        found_by: the search that found the neighbors; None if the graph was given, or if a file of
            an earlier version does not tell.
    """

    space: FeatureSpace | None
    points: Tensor | None
    lengths: Tensor | None
    operator: DiffusionOperator
    spectrum: Spectrum
    has_own_graph: bool = False
    found_by: FoundBy | None = None

    @classmethod
    def make(
        cls,
        features: Any,
        links: Tensor | None,
        *,
        n_classes: int,
        n_top: int,
        bandwidth_rank: int,
        normalization: Normalization,
        search: Search,
        seed: int,
        n_modes: int = N_MODES,
        placed: Placed | None = None,
        neighbors: Neighbors | None = None,
    ) -> "FittedPoints":
        """Build the graph of the nearest neighbors, unless `links` gives one, and decompose it.

        Args:
            features: (N, d) dense or sparse; None for a graph of points without features.
            links: (N, N) CSR weights, or None.
            n_classes: to be told apart.
            n_top: see `build_weights`.
            bandwidth_rank: see `build_weights`.
            normalization: see `build_weights`.
            search: see `build_weights`.
            seed: of the reduction of features.
            n_modes: of the graph, at least.
            placed: what `FeatureSpace.fit` makes of the features, if that is known.
            neighbors: (N, k) of the points, if they are known.
        """
        if placed is None and features is not None:
            placed = FeatureSpace.fit(features, seed)
        space, points, lengths = (None, None, None) if placed is None else placed
        has_own_graph = links is not None
        found_by: FoundBy | None = None if has_own_graph else "given"
        if links is None:
            if neighbors is None:
                if points is None:
                    raise ValueError("FittedPoints: `links` must be given without features.")
                n_near = min(max(n_top, bandwidth_rank), len(points))
                with stage("neighbors"):
                    neighbors = search_neighbors("FittedPoints", "n_top", points, n_near, search)
                found_by = name_search(search, len(points), n_near)
            with stage("weights"):
                width = neighbors.indices.shape[1]
                ranks = min(n_top, width), None, min(bandwidth_rank, width)
                kept = Bandwidths("FittedPoints", width, *ranks)
                links = weigh_neighbors(neighbors, kept, BANDWIDTH_SCALE, normalization).float()
        operator = DiffusionOperator(links)
        n_modes = min(operator.n_points, max(n_modes, MODES_PER_CLASS * n_classes))
        with stage("modes"):
            spectrum = Spectrum.of(operator.laplacian, n_modes)
        return cls(space, points, lengths, operator, spectrum, has_own_graph, found_by)

    @cached_property
    def components(self) -> npt.NDArray[np.int32]:
        """The connected component of the graph that each point belongs to, (N,)."""
        return connected_components(mx.to_scipy(self.operator.weights), directed=False)[1]

    @cached_property
    def _made(self) -> dict[Hashable, Any]:
        return {}

    def once(self, name: Hashable, make: Callable[[], Made]) -> Made:
        """Return what `make` returned the first time: it must depend on the points alone."""
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]

    def __getstate__(self) -> dict[str, Any]:
        """Leave behind what can be made again."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @cached_property
    def has_like_links(self) -> bool:
        """Whether points that a given graph links are alike in their features, too."""
        if self.points is None or not self.has_own_graph:
            return False
        weights = self.operator.weights
        return autocorrelation(self.points.to(weights.dtype), weights) > LEAST_LIKENESS

    def diffused(self, step_size: float, strength: float) -> Tensor:
        """Return where diffusion of the features puts the points, (N, d), of length one.

        Args:
            step_size: of a step.
            strength: in units of the mean rate.
        """
        if self.points is None:
            raise ValueError("FittedPoints: there must be features, got a graph only.")
        mean = float(mx.diagonal(self.operator.laplacian).mean())
        n_steps = max(1, round(strength / max(step_size * mean, 1e-6)))
        return normalize(self.operator.diffuse(self.points, step_size, n_steps).float(), dim=1)

    def recall(self, n_top: int) -> float | None:
        """Return which part of the neighbors the graph has; None if the search was not ours.

        An exact search finds all. For any other it is measured, once: see `measure_recall`.

        Args:
            n_top: neighbors that the graph keeps, the point itself counted.
        """
        points, weights = self.points, self.operator.weights
        if points is None or self.found_by not in ("exact", "cells"):
            return None
        n_neighbors = min(n_top, len(points)) - 1
        if self.found_by == "exact" or n_neighbors < 1:
            return 1.0
        return self.once(
            ("recall", n_neighbors), lambda: measure_recall(points, weights, n_neighbors)
        )

    @property
    def places(self) -> Places:
        """The fitted points as a solver sees them."""
        return Places(self.points, self.lengths)

    def for_classes(self, n_classes: int) -> "FittedPoints":
        """Return the points with as many modes as the classes need, found anew if missing."""
        n_modes = min(self.operator.n_points, max(N_MODES, MODES_PER_CLASS * n_classes))
        if self.spectrum.modes.shape[1] >= n_modes:
            return self
        return replace(self, spectrum=Spectrum.of(self.operator.laplacian, n_modes))

    def blocks(self) -> Iterator[Places]:
        """Yield all fitted points as a solver sees them, some thousands at a time."""
        for start in range(0, self.operator.n_points, ROWS):
            yield self.some_places(slice(start, start + ROWS))

    def some_places(self, rows: Tensor | slice) -> Places:
        """Return some of the fitted points as a solver sees them."""
        if self.points is None or self.lengths is None:
            return Places(None, rows=rows)
        return Places(self.points[rows], self.lengths[rows], rows=rows)

    def attach(self, given: Any, n_top: int, bandwidth_rank: int) -> Places:
        """Return new points as a solver sees them.

        Args:
            given: (n, d) features, or (n, N) weights of links to the fitted points.
            n_top: neighbors that a new point receives from, itself counted.
            bandwidth_rank: of the kernel's width.
        """
        if self.space is None or self.points is None:
            return Places(None, None, attach_rows(given))
        points, lengths = self.space.place(given)
        points = points.double()
        attachment = attach_points(points, self.points, n_top, bandwidth_rank, BANDWIDTH_SCALE)
        return Places(points, lengths, attachment)

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
            "lengths": self.lengths,
        }
        if self.space is not None:
            parts |= vars(self.space)
        arrays = {name: part.numpy() for name, part in parts.items() if part is not None}
        if self.found_by is not None:
            arrays["found_by"] = np.array(self.found_by)
        return arrays | {"has_own_graph": np.array(self.has_own_graph)}

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
            space = FeatureSpace(
                get("sketch"),
                need("center"),
                get("scale"),
                get("spread"),
                get("directions"),
                need("unit"),
                need("outliers"),
            )
        weights = mx.csr(need("row_starts"), need("columns"), need("values"))
        spectrum = Spectrum(need("rates"), need("modes"))
        operator, is_given = DiffusionOperator(weights), bool(arrays["has_own_graph"])
        name = str(arrays.get("found_by", ""))
        found_by = next((one for one in get_args(FoundBy) if one == name), None)
        return cls(space, points, get("lengths"), operator, spectrum, is_given, found_by)
