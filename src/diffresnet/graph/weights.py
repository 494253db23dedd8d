"""Weights of the neighbor graph: Gaussian kernel, Sparse, Normalize (Section 3.2, Algorithm 1).

One set of points (N, d) gives a CSR matrix, a batch of sets (T, N, d) a dense one (T, N, N): the
same functions, the same numbers.
"""

from typing import get_args

import torch
from torch import Tensor

from diffresnet._support.checks import (
    as_points,
    as_tensor,
    check_choice,
    check_count,
    check_real,
    fail,
)
from diffresnet._support.types import Array, Matrix, Normalization, Search
from diffresnet.graph import matrix as mx
from diffresnet.graph.exact_search import Neighbors, first_smallest
from diffresnet.graph.neighbors import search_neighbors
from diffresnet.graph.normalization import balance, normalize


def gaussian_kernel(distances: Array, bandwidth: float | Array) -> Tensor:
    """Turn plain distances into similarities, k = exp(-distance^2 / bandwidth^2) (Section 3.2).

    Args:
        distances: non-negative, of any shape.
        bandwidth: sigma: one number, or an array that broadcasts to the shape of `distances`, such
            as (N, 1) for one a row. Where it is 0, only coinciding points are similar: the limit
            of the formula.

    Returns:
        A tensor shaped as `distances`, in [0, 1], differentiable in both arguments.

    Raises:
        ValueError: if `distances` or `bandwidth` holds a negative or non-finite number.

    Examples:
        >>> gaussian_kernel(torch.tensor([0.0, 1.0, 2.0]), bandwidth=2.0)
        tensor([1.0000, 0.7788, 0.3679])
    """
    lengths = as_tensor("gaussian_kernel", "distances", distances)
    if isinstance(bandwidth, Tensor) or not isinstance(bandwidth, int | float):
        sigma = as_tensor("gaussian_kernel", "bandwidth", bandwidth).to(lengths)
    else:
        sigma = lengths.new_tensor(check_real("gaussian_kernel", "bandwidth", bandwidth, zero=True))
    for name, tensor in (("distances", lengths), ("bandwidth", sigma)):
        if not bool((tensor >= 0).logical_and(tensor.isfinite()).all()):
            remedy = f"Check how `{name}` was computed."
            got = "a negative, infinite or NaN number"
            fail("gaussian_kernel", name, "finite and non-negative", got, remedy)
    sizes = zip(sigma.shape, lengths.shape, strict=False)
    if sigma.ndim not in (0, lengths.ndim) or any(s not in (1, size) for s, size in sizes):
        must = f"a number, or of a shape that broadcasts to {tuple(lengths.shape)}"
        remedy = "For one a row use `bandwidth.reshape(-1, 1)`."
        fail("gaussian_kernel", "bandwidth", must, f"shape {tuple(sigma.shape)}", remedy)
    return similarities(lengths, sigma)


def similarities(lengths: Tensor, sigma: Tensor) -> Tensor:
    """Do the work of `gaussian_kernel` on numbers that have been checked."""
    ratio = (lengths / torch.where(sigma > 0, sigma, 1)).clamp(max=40)  # beyond, exp is 0
    similarity = torch.exp(-ratio.square())
    return torch.where((sigma > 0) | (lengths == 0), similarity, 0)


def sparsify(weights: Matrix, n_top: int) -> Tensor:
    """Keep the `n_top` largest entries of every row and set the others to 0 (Sparse, Section 3.2).

    The result is in general not symmetric. Among equal entries the diagonal is kept first, then
    the lower column.

    Args:
        weights: (N, N) or (T, N, N), dense or, for (N, N), sparse; non-negative.
        n_top: entries to keep in a row, the point itself counted; between 1 and N.

    Returns:
        A tensor in the layout of `weights`: dense, or CSR for every sparse one.

    Raises:
        ValueError: if `weights` is not square, finite and non-negative, or `n_top` out of range.

    Examples:
        >>> sparsify(torch.tensor([[1.0, 0.2, 0.7], [0.2, 1.0, 0.1], [0.7, 0.1, 1.0]]), n_top=2)
        tensor([[1.0000, 0.0000, 0.7000],
                [0.2000, 1.0000, 0.0000],
                [0.7000, 0.0000, 1.0000]])
    """
    matrix = mx.as_square("sparsify", "weights", weights)
    n_points = matrix.shape[-1]
    n_top = check_count("sparsify", "n_top", n_top, low=1, high=n_points, of="the number of points")
    if not mx.is_csr(matrix):
        negated = -matrix.detach()
        last = negated.topk(n_top, dim=-1, largest=False).values[..., -1:]
        own = negated.diagonal(dim1=-2, dim2=-1)
        own[own == last.squeeze(-1)] = -torch.inf  # before its equals
        return torch.where(first_smallest(negated, last, n_top), matrix, 0)
    rows, columns, values = mx.rows_of(matrix), matrix.col_indices().long(), matrix.values()
    order = (columns != rows).to(torch.uint8).argsort(stable=True)
    order = order[values[order].argsort(descending=True, stable=True)]
    order = order[rows[order].argsort(stable=True)]
    place_in_row = torch.arange(len(rows), device=rows.device) - matrix.crow_indices()[rows[order]]
    kept = order[place_in_row < n_top]
    return mx.csr_from_entries(rows[kept], columns[kept], values[kept], n_points)


def build_weights(
    points: Array,
    n_top: int,
    *,
    bandwidth: float | None = None,
    bandwidth_rank: int | None = None,
    bandwidth_scale: float = 1.0,
    normalization: Normalization = "symmetric",
    search: Search = "exact",
) -> Tensor:
    """Build W = Normalize(Sparse(K, n_top)), K the Gaussian kernel of the points (Algorithm 1).

    Equal to `normalize(sparsify(gaussian_kernel(...)))` if the search is exact, but from nearest
    neighbors alone: memory and weights grow with N n_top, not with N^2.

    The authors' code keeps, for few-shot tasks, the distances strictly below the n_top-th: its
    n_top = 8 is `n_top=7` here. For synthetic sets the two count alike.

    Args:
        points: (N, d), or (T, N, d) for T separate sets; torch or numpy.
        n_top: weights kept in a row, the point itself counted; between 1 and N.
        bandwidth: sigma, one for all points.
        bandwidth_rank: sigma_i is the distance from point i to its `bandwidth_rank`-th nearest,
            itself counted as the first (Appendix E.3). If that is 0, for want of distinct points,
            the smallest positive distance among the `n_top` nearest is taken. Without `bandwidth`
            and `bandwidth_rank`, the rank is half of `n_top`, rounded up, and at least 2: the
            paper's 4 for its 7.
        bandwidth_scale: what that distance is multiplied by.
        normalization: see `normalize`.
        search: of the neighbors, ``"exact"`` or ``"approximate"``; see `nearest_neighbors`.

    Returns:
        A CSR tensor (N, N) for one set, a dense tensor (T, N, N) for a batch. No gradient flows to
        `points`.

    Raises:
        ValueError: if `points` is empty, not finite or not 2-D or 3-D, or an argument is out of
            range, or both `bandwidth` and `bandwidth_rank` are given.

    Examples:
        >>> points = torch.tensor([[0.0], [1.0], [3.0]])
        >>> build_weights(points, n_top=2, bandwidth=1.0, normalization="row").to_dense()
        tensor([[0.7311, 0.2689, 0.0000],
                [0.2689, 0.7311, 0.0000],
                [0.0000, 0.0180, 0.9820]])
    """
    check_choice("build_weights", "normalization", normalization, get_args(Normalization))
    given = as_points("build_weights", points)
    kept = Bandwidths("build_weights", given.shape[-2], n_top, bandwidth, bandwidth_rank)
    wide = search_neighbors("build_weights", "n_top", given, max(kept.n_top, kept.rank), search)
    scale = check_real("build_weights", "bandwidth_scale", bandwidth_scale)
    return weigh_neighbors(wide, kept, scale, normalization)


def weigh_neighbors(
    near: Neighbors, kept: "Bandwidths", scale: float, normalization: Normalization
) -> Tensor:
    """Do the work of `build_weights` on neighbors, as many as are kept or tell the bandwidth."""
    distances, indices = (part[..., : kept.n_top] for part in near)
    values = similarities(distances, scale * kept.of_rows(near.distances))
    return balance(_assemble(indices, values), normalization)


class Bandwidths:
    """How many neighbors are kept in a row, and sigma, one for all rows or one a row."""

    def __init__(
        self,
        function: str,
        n_points: int,
        n_top: int,
        bandwidth: float | None,
        bandwidth_rank: int | None,
        *,
        of: str = "the number of points",
    ) -> None:
        self.n_top = check_count(function, "n_top", n_top, low=1, high=n_points, of=of)
        self.bandwidth = bandwidth
        if bandwidth is not None:
            if bandwidth_rank is not None:
                got = f"{bandwidth_rank} beside `bandwidth` {bandwidth}"
                must, remedy = "None beside a `bandwidth`", "Pass only one of them."
                fail(function, "bandwidth_rank", must, got, remedy)
            self.bandwidth = check_real(function, "bandwidth", bandwidth)
        if bandwidth_rank is None:
            bandwidth_rank = min(max(2, (self.n_top + 1) // 2), n_points)
        self.rank = check_count(
            function, "bandwidth_rank", bandwidth_rank, low=1, high=n_points, of=of
        )

    def of_rows(self, nearest: Tensor) -> Tensor:
        """Return sigma from the distances (..., N, k) to the nearest points, in order.

        Those of missing points are infinite; then the farthest that there is counts.
        """
        if self.bandwidth is not None:
            return nearest.new_tensor(self.bandwidth)
        farthest = torch.where(nearest < torch.inf, nearest, 0).amax(dim=-1, keepdim=True)
        ranked = nearest[..., self.rank - 1 : self.rank].minimum(farthest)
        # Where it is 0, for want of distinct points: the smallest positive one of the row.
        kept = nearest[..., : self.n_top]
        positive = torch.where(kept > 0, kept, torch.inf).amin(dim=-1, keepdim=True)
        return torch.where(ranked > 0, ranked, torch.where(positive.isfinite(), positive, 1))


def _assemble(indices: Tensor, values: Tensor) -> Tensor:
    """Put the `values` of the neighbors in their places: CSR for one set, dense for a batch."""
    n_points = values.shape[-2]
    if values.ndim == 3:
        dense = values.new_zeros(*values.shape[:-1], n_points)
        return dense.scatter(-1, indices, values)
    rows = torch.arange(n_points, device=values.device).unsqueeze(-1).expand_as(values)
    linked = values > 0  # far neighbors may underflow to 0: no link
    return mx.csr_from_entries(rows[linked], indices[linked], values[linked], n_points)


def graph_weights(adjacency: Matrix) -> Tensor:
    """Build the weights of a given graph, W = D^-1/2 (A + I) D^-1/2, D the degrees of A + I.

    As the authors' code does for citation graphs (Appendix E.2): self-loops enter the normalizer
    only, since x_i - x_i = 0. A directed graph is averaged with its transpose at the end.

    Args:
        adjacency: (N, N) or (T, N, N), dense or, for (N, N), sparse; non-negative. Self-loops in
            it are replaced by 1.

    Returns:
        A dense tensor for a dense `adjacency`, a CSR tensor for a sparse one.

    Raises:
        ValueError: if `adjacency` is not square, finite and non-negative.

    Examples:
        >>> graph_weights(torch.tensor([[0.0, 1.0], [1.0, 0.0]]))
        tensor([[0.5000, 0.5000],
                [0.5000, 0.5000]])
    """
    matrix = mx.as_square("graph_weights", "adjacency", adjacency)
    return normalize(mx.set_diagonal(matrix, 1), "symmetric")
