"""Weights of a neighbor graph from all distances, for small sets and for distances of your own."""

from typing import get_args

import torch
from torch import Tensor

from diffresnet._support.checks import as_tensor, check_choice, fail
from diffresnet._support.types import Array, Normalization
from diffresnet.graph.exact_search import first_smallest
from diffresnet.graph.normalization import balance
from diffresnet.graph.weights import Bandwidths, similarities


def weights_from_distances(
    distances: Array,
    n_top: int,
    *,
    bandwidth: float | None = None,
    bandwidth_rank: int | None = None,
    normalization: Normalization = "symmetric",
) -> Tensor:
    """Build W = Normalize(Sparse(K, n_top)), K the Gaussian kernel of given distances.

    The same as `build_weights`, for distances that are known already: those of a metric of your
    own, or of many small sets, for which a dense matrix is the fastest way.

    Args:
        distances: (N, N) or (T, N, N), plain (not squared), finite and non-negative. The distance
            of a point to itself counts as 0, whatever is given.
        n_top: as for `build_weights`.
        bandwidth: as for `build_weights`.
        bandwidth_rank: as for `build_weights`.
        normalization: see `normalize`.

    Returns:
        A dense tensor of the shape of `distances`. No gradient flows to `distances`.

    Raises:
        ValueError: if `distances` is not square, finite and non-negative, or an argument is out of
            range.

    Examples:
        >>> distances = torch.tensor([[0.0, 1.0, 3.0], [1.0, 0.0, 2.0], [3.0, 2.0, 0.0]])
        >>> weights_from_distances(distances, n_top=2, bandwidth=1.0, normalization="row")
        tensor([[0.7311, 0.2689, 0.0000],
                [0.2689, 0.7311, 0.0000],
                [0.0000, 0.0180, 0.9820]])
    """
    given = as_tensor("weights_from_distances", "distances", distances).detach()
    shape = tuple(given.shape)
    if given.ndim not in (2, 3) or shape[-1] != shape[-2] or 0 in shape:
        must = "of shape (N, N) or (T, N, N), not empty"
        remedy = "Pass one row and one column a point."
        fail("weights_from_distances", "distances", must, f"shape {shape}", remedy)
    least, largest = given.aminmax()
    if not (least >= 0 and torch.isfinite(largest)):
        remedy = "Check how `distances` were computed."
        got = "a negative, infinite or NaN number"
        fail("weights_from_distances", "distances", "finite and non-negative", got, remedy)
    choices = get_args(Normalization)
    check_choice("weights_from_distances", "normalization", normalization, choices)
    kept = Bandwidths("weights_from_distances", shape[-1], n_top, bandwidth, bandwidth_rank)
    lengths = given.clone()
    lengths.diagonal(dim1=-2, dim2=-1).fill_(-1)  # nearer than any other
    nearest = lengths.topk(max(kept.n_top, kept.rank), dim=-1, largest=False).values
    near = first_smallest(lengths, nearest[..., kept.n_top - 1 : kept.n_top], kept.n_top)
    values = similarities(lengths.clamp_(min=0), kept.of_rows(nearest.clamp_(min=0)))
    return balance(values.mul_(near), normalization)
