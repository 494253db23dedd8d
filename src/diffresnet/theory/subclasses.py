"""Subclasses that the graph shows, and for which graphs the paper's two conditions hold (4.2)."""

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
import torch
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from torch import Tensor

from diffresnet._support.checks import fail
from diffresnet._support.types import Array
from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.graph import matrix as mx
from diffresnet.graph.neighbors import nearest_neighbors
from diffresnet.theory.grouped_points import Floats, Integers, check_grouped, split_groups
from diffresnet.theory.structure import max_diameter, min_distance


@dataclass(frozen=True)
class Subclasses:
    """The parts of the classes that a graph shows.

    Attributes:
        ids: (N,) subclass of each point, 0, 1, 2, ...
        labels: (M,) class of each subclass.
        n_components: connected components of the symmetrized graph.
        n_crossing_links: links between two subclasses, both ways counted as one.
        n_scattered: subclasses that are not connected by links of their own.
        min_distance: L.
        max_diameter: D.
    """

    ids: Tensor
    labels: Tensor
    n_components: int
    n_crossing_links: int
    n_scattered: int
    min_distance: float
    max_diameter: float

    @property
    def n_subclasses(self) -> int:
        """M."""
        return len(self.labels)

    @property
    def are_structured(self) -> bool:
        """Whether both conditions of Proposition 1 hold: no link between, each one connected."""
        return self.n_crossing_links == 0 and self.n_scattered == 0


@dataclass(frozen=True)
class NTopRange:
    """For which `n_top` the graph of the nearest neighbors fits given subclasses.

    Attributes:
        low: from this many on each subclass is connected.
        high: up to this many there is no link between subclasses; 0 if there is none such.
    """

    low: int
    high: int

    @property
    def exists(self) -> bool:
        """Whether any `n_top` fulfills both conditions."""
        return self.low <= self.high


def find_subclasses(points: Array, labels: Array, operator: DiffusionOperator) -> Subclasses:
    """Split each class into the parts that the graph connects, and check the paper's conditions.

    A subclass is what a connected component of the symmetrized graph holds of one class: a directed
    graph may be in one piece and still have several parts that nothing leaves (see
    `count_closed_classes`). Where a component holds points of one class only, as the paper assumes,
    it is a subclass.

    Args:
        points: (N, d).
        labels: (N,) integers, the class of each point.
        operator: diffusion over a graph of the N points.

    Raises:
        ValueError: if `points` is not a finite (N, d) array or `labels` not N integers; if the
            operator has other points, or is a batch.

    Examples:
        >>> from diffresnet import build_weights
        >>> points = torch.tensor([[0.0], [1.0], [5.0], [6.0], [9.0], [10.0]])
        >>> operator = DiffusionOperator(build_weights(points, n_top=2))
        >>> found = find_subclasses(points, torch.tensor([0, 0, 1, 1, 0, 0]), operator)
        >>> found.ids.tolist(), found.labels.tolist(), found.are_structured
        ([0, 0, 1, 1, 2, 2], [0, 1, 0], True)
    """
    _, classes = check_grouped("find_subclasses", points, labels, "labels")
    links = adjacency_of("find_subclasses", operator, len(classes))
    n_components, components = connected_components(links, directed=False)
    pairs = np.stack([components, classes.cpu().numpy()], axis=1)
    found, ids = np.unique(pairs, axis=0, return_inverse=True)
    order = np.argsort(np.unique(ids, return_index=True)[1])  # number them as they come
    ids = np.argsort(order)[ids.reshape(-1)].astype(np.int64)
    subclasses = torch.from_numpy(ids)
    return Subclasses(
        subclasses,
        torch.from_numpy(found[order, 1].astype(np.int64)),
        int(n_components),
        _count_crossing(links, ids),
        _count_scattered(links, ids),
        min_distance(points, subclasses),
        max_diameter(points, subclasses),
    )


def find_n_top_range(points: Array, subclasses: Array) -> NTopRange:
    """Find for which `n_top` both of the paper's conditions hold (end of Section 4.2).

    Links only come as `n_top` grows: above some value there is one between subclasses, and from
    some value on each subclass is connected. This is for graphs of exact nearest neighbors, as
    `build_weights` makes them, unless a weight is so small that it underflows to 0.

    Args:
        points: (N, d).
        subclasses: (N,) integers; points with the same one are in the same subclass.

    Raises:
        ValueError: if `points` is not a finite (N, d) array or `subclasses` not N integers.

    Examples:
        >>> points = torch.tensor([[0.0], [1.0], [2.5], [9.0], [10.0], [11.5]])
        >>> find_n_top_range(points, torch.tensor([0, 0, 0, 1, 1, 1]))
        NTopRange(low=2, high=3)
    """
    rows, groups, names = split_groups("find_n_top_range", points, subclasses)
    n_points, sizes = len(rows), np.bincount(groups)
    high = n_points if len(names) == 1 else _largest_n_top(rows, groups, int(sizes.min()))
    if sizes.max() == 1:
        return NTopRange(1, high)
    n_near, near = 1, np.zeros((n_points, 0), dtype=np.int64)

    def is_connected(n_top: int) -> bool:
        return _count_scattered(_neighbor_links(near[:, :n_top]), groups) == 0

    while near.shape[1] < n_points and not is_connected(n_near):
        n_near = min(4 * n_near, n_points)
        near = nearest_neighbors(rows, n_near).indices.numpy()
    low = 1 + bisect_left(range(1, n_near), x=True, key=is_connected)
    return NTopRange(low, high)


def adjacency_of(function: str, operator: DiffusionOperator, n_points: int) -> sparse.csr_array:
    """Return the weights as a SciPy array without stored zeros; refuse those of other points."""
    if operator.is_batched or operator.n_points != n_points:
        must = f"one over the {n_points} points"
        got = f"weights of shape {tuple(operator.weights.shape)}"
        fail(function, "operator", must, got, "Build it from the weights of these points.")
    weights = operator.weights.detach()
    links = mx.to_scipy(weights if mx.is_csr(weights) else mx.to_csr(weights)).copy()
    links.eliminate_zeros()
    return links


def _count_crossing(links: sparse.csr_array, ids: Integers) -> int:
    rows, columns = links.nonzero()
    apart = ids[rows] != ids[columns]
    pairs = np.sort(np.stack([rows[apart], columns[apart]], axis=1), axis=1)
    return len(np.unique(pairs, axis=0))


def _count_scattered(links: sparse.csr_array, ids: Integers) -> int:
    """Count the subclasses that links among their own points do not connect."""
    rows, columns = links.nonzero()
    own = ids[rows] == ids[columns]
    kept = sparse.csr_array((np.ones(own.sum()), (rows[own], columns[own])), shape=links.shape)
    parts = connected_components(kept, directed=False)[1]
    n_parts = np.bincount(ids[np.unique(parts, return_index=True)[1]])
    return int((n_parts > 1).sum())


def _largest_n_top(rows: Floats, groups: Integers, smallest_size: int) -> int:
    """Return how many neighbors of every point, itself counted, are surely of its own group."""
    near = nearest_neighbors(rows, min(smallest_size + 1, len(rows))).indices.numpy()
    foreign = groups[near] != groups[:, None]
    return int(np.where(foreign.any(axis=1), foreign.argmax(axis=1), near.shape[1]).min())


def _neighbor_links(near: Integers) -> sparse.csr_array:
    n_points, n_near = near.shape
    starts = np.arange(n_points + 1) * n_near
    return sparse.csr_array(
        (np.ones(near.size), near.reshape(-1), starts), shape=(n_points, n_points)
    )
