"""How much of the true neighborhoods a graph has, measured on some of its points."""

import torch
from torch import Tensor

from diffresnet._support.threads import share
from diffresnet.graph.distances import BLOCK_SIZE
from diffresnet.graph.exact_search import nearest_of

N_EXACT = 1000
"""Points whose neighbors are searched for exactly."""

SPARE = 4
"""Candidates more than needed, which are then compared by subtraction."""


def measure_recall(points: Tensor, weights: Tensor, n_neighbors: int) -> float:
    """Return which part of the nearest neighbors of some points are linked to them.

    A row of W has links to the neighbors that were found for it, and to the points it was found
    for. So this judges the graph rather than the search: a neighbor counts if either of the two
    found the other. A link to a point no farther than the last neighbor counts, whichever of
    several equally near ones that is. The points are drawn from all, always the same; all distances
    from them are computed, in bounded memory.

    Args:
        points: (N, d).
        weights: (N, N) CSR.
        n_neighbors: of a point, itself not counted; below N.

    Examples:
        >>> from diffresnet import build_weights
        >>> points = torch.randn(50, 3, generator=torch.Generator().manual_seed(0))
        >>> measure_recall(points, build_weights(points, n_top=5), 4)
        1.0
    """
    generator = torch.Generator().manual_seed(0)
    rows = torch.randperm(len(points), generator=generator)[:N_EXACT].to(points.device)
    own = points[rows].double()
    candidates = _nearest(points, rows, min(n_neighbors + SPARE, len(points) - 1))
    reach = nearest_of(candidates, points, own, n_neighbors).distances[:, -1]
    starts = weights.crow_indices().long()
    counts = (starts[1:] - starts[:-1])[rows]
    which = torch.arange(len(rows), device=rows.device).repeat_interleave(counts)
    first = (counts.cumsum(dim=0) - counts)[which]
    place = starts[rows][which] + torch.arange(len(which), device=rows.device) - first
    linked = weights.col_indices().long()[place]
    apart = torch.cat(
        [
            (points[linked[some]].double() - own[which[some]]).norm(dim=1)
            for some in torch.arange(len(which)).split(max(1, BLOCK_SIZE // points.shape[1]))
        ]
    )
    hits = (linked != rows[which]) & (apart <= reach[which] * (1 + 1e-9))
    n_hits = torch.bincount(which[hits], minlength=len(rows)).clamp(max=n_neighbors)
    return float(n_hits.double().mean() / n_neighbors)


def _nearest(points: Tensor, rows: Tensor, n_nearest: int) -> Tensor:
    """Return the nearest other points of some rows, a block of all points at a time."""
    own = points[rows].double()

    def search(some: Tensor) -> tuple[Tensor, Tensor]:
        block = points[some].double()
        reduced = torch.addmm(block.square().sum(dim=1), own, block.mT, alpha=-2)
        reduced.masked_fill_(some == rows.unsqueeze(1), torch.inf)
        near = reduced.topk(min(n_nearest, len(some)), dim=1, largest=False)
        return near.values, some[near.indices]

    every = torch.arange(len(points), device=points.device)
    found = share(search, every.split(max(1, BLOCK_SIZE // len(rows))))
    values, indices = (torch.cat(parts, dim=1) for parts in zip(*found, strict=True))
    return indices.gather(1, values.topk(n_nearest, dim=1, largest=False).indices)
