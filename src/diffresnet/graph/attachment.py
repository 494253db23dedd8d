"""New points attached to fitted ones: whom they receive from."""

from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from diffresnet._support.checks import fail
from diffresnet._support.sparse_checks import check_sparse
from diffresnet._support.threads import share
from diffresnet.graph.exact_search import Neighbors, nearest_of
from diffresnet.graph.smallest import smallest
from diffresnet.graph.weights import Bandwidths, similarities

BLOCK = 256
PART = 2**15
"""Fitted points that are compared with new ones at a time."""

SPARE = 8
"""Candidates more than needed: the search is in single precision."""


def attach_points(
    points: Tensor, fitted: Tensor, n_top: int, bandwidth_rank: int, bandwidth_scale: float = 1.0
) -> sparse.csr_array:
    """Return (n, N) weights of the fitted points that new ones receive from; rows sum to 1.

    Args:
        points: (n, d) new points.
        fitted: (N, d) fitted points.
        n_top: neighbors of a point, itself counted.
        bandwidth_rank: the width of the kernel is the distance to the neighbor of this rank, itself
            counted,
        bandwidth_scale: times this.
    """
    n_kept = min(max(n_top - 1, 1), len(fitted))
    rank = min(max(bandwidth_rank - 1, 1), n_kept)
    distances, columns = _nearest(points, fitted, n_kept)
    bandwidths = Bandwidths("attach_points", len(fitted), n_kept, None, rank)
    weights = similarities(distances, bandwidth_scale * bandwidths.of_rows(distances))
    weights = weights / weights.sum(dim=1, keepdim=True)
    starts = np.arange(0, weights.numel() + 1, n_kept)
    parts = weights.flatten().numpy(), columns.flatten().numpy(), starts
    return sparse.csr_array(parts, shape=(len(points), len(fitted)))


def attach_rows(given: Any) -> sparse.csr_array:
    """Return given weights (n, N) of links to fitted points; rows sum to 1, or are empty."""
    check_sparse("predict: `X`", given)
    rows = sparse.csr_array(given, dtype=np.float64)
    if rows.nnz and (rows.data.min() < 0):
        remedy = "Pass weights of links to the fitted points."
        fail("predict", "X", "non-negative", rows.data.min(), remedy)
    sums = np.asarray(rows.sum(axis=1)).ravel()
    return sparse.csr_array(rows.multiply((1 / np.where(sums > 0, sums, 1))[:, None]))


def _nearest(points: Tensor, fitted: Tensor, n_kept: int) -> tuple[Tensor, Tensor]:
    """Return distances and indices of the nearest fitted points, from near to far."""
    n_candidates = min(n_kept + SPARE, len(fitted))
    parts = [(start, fitted[start : start + PART]) for start in range(0, len(fitted), PART)]
    norms = [part.square().sum(dim=1) for _, part in parts]

    def search(block: Tensor) -> Neighbors:
        own, values, places = block.to(fitted), list[Tensor](), list[Tensor]()
        for (start, part), squares in zip(parts, norms, strict=True):
            rough = torch.addmm(squares, own, part.mT, alpha=-2)
            best = smallest(rough, min(n_candidates, len(part)))
            values.append(rough.gather(1, best))
            places.append(best + start)
        best = torch.cat(values, dim=1).topk(n_candidates, dim=1, largest=False).indices
        candidates = torch.cat(places, dim=1).gather(1, best)
        return nearest_of(candidates, fitted, block, n_kept)

    found = share(search, points.split(BLOCK))
    return torch.cat([near.distances for near in found]), torch.cat([n.indices for n in found])
