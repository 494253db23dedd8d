"""Approximate neighbor search: only among the points of nearby cells.

k-means divides the points into cells. The points of a cell are compared with those of the cells
next to it, in one matrix product, which finds nearly all neighbors at a cost of N^1.5, not N^2.
"""

import math

import torch
from torch import Tensor

from diffresnet._support.threads import share
from diffresnet.graph.distances import BLOCK_SIZE
from diffresnet.graph.exact_search import Neighbors, nearest_of

CELLS = 4
"""Cells, in units of the root of the number of points."""

NEARBY = 64
"""Cells that a point's neighbors are looked for in, its own counted."""

CROWDED = 4
"""No point is compared with more than this multiple of the usual number: a cell of duplicates, all
as near as each other, would cost the square of its size."""

SPARE_CANDIDATES = 4
"""How many candidates more than neighbors are chosen in float32."""

SAMPLED = 32
"""Points a cell that k-means looks at."""

N_ROUNDS = 5


def can_search_cells(n_points: int, n_neighbors: int) -> bool:
    """Tell whether there are cells enough for a gain, and points enough in them."""
    n_cells = CELLS * math.isqrt(n_points)
    return n_cells >= 8 * NEARBY and NEARBY * n_points // n_cells > 8 * n_neighbors


def search_cells(points: Tensor, n_neighbors: int) -> Neighbors:
    """Find most of the nearest neighbors of every point (N, d); see `can_search_cells`."""
    n_points, n_features = points.shape
    # Between 1 and 2 in size, squares neither overflow nor vanish; a power of two changes no digit.
    exponent = math.frexp(float(points.abs().max()))[1] - 1
    half = exponent // 2  # the power itself may be out of range
    points = points * 2.0**-half * 2.0 ** (half - exponent)
    cells = _Cells((points - points.mean(dim=0)).float(), CELLS * math.isqrt(n_points))
    distances = points.new_zeros(n_points, n_neighbors)
    found = torch.arange(n_points, device=points.device).unsqueeze(1).repeat(1, n_neighbors)
    n_chosen = n_neighbors - 1 + SPARE_CANDIDATES

    def search(one: int) -> None:
        members, candidates = cells.members(one), cells.candidates(one, n_chosen + 1)
        # Around a point of the cell, and in units of it, float32 tells points of tight clusters.
        nearby = points[candidates] - points[members[0]]
        unit = nearby.abs().max().clamp(min=torch.finfo(points.dtype).tiny)
        nearby = (nearby / unit).float()
        norms = nearby.square().sum(dim=1)
        n_rows = BLOCK_SIZE // max(len(candidates), n_chosen * n_features)
        for rows in members.split(max(1, n_rows)):
            own = ((points[rows] - points[members[0]]) / unit).float()
            reduced = torch.addmm(norms, own, nearby.mT, alpha=-2)
            reduced.masked_fill_(candidates == rows.unsqueeze(1), torch.inf)
            chosen = candidates[reduced.topk(n_chosen, dim=1, largest=False).indices]
            near = nearest_of(chosen, points, points[rows], n_neighbors - 1)
            distances[rows, 1:], found[rows, 1:] = near

    share(search, range(cells.n_cells))
    return Neighbors(distances * 2.0**half * 2.0 ** (exponent - half), found)


class _Cells:
    """The points (N, d), divided by k-means."""

    def __init__(self, points: Tensor, n_cells: int) -> None:
        middles = _find_middles(points, n_cells)
        cell = _nearest_middle(points, middles)
        used, cell, sizes = cell.unique(return_inverse=True, return_counts=True)
        self.n_cells = len(used)
        self.order = cell.argsort(stable=True)
        self.sizes = sizes.cpu()
        self.ends = self.sizes.cumsum(dim=0).tolist()
        self.distances = torch.cdist(middles[used], middles[used]).cpu().fill_diagonal_(-1)
        self.most = CROWDED * NEARBY * len(points) // n_cells

    def members(self, cell: int) -> Tensor:
        """Return the points of a cell."""
        return self.order[self.ends[cell - 1] if cell else 0 : self.ends[cell]]

    def candidates(self, cell: int, n_least: int) -> Tensor:
        """Return the points of the cells nearest to this one, of a crowd only the first."""
        others = self.distances[cell].argsort()
        reached = int(torch.searchsorted(self.sizes[others].cumsum(dim=0), n_least)) + 1
        nearby = others[: max(NEARBY, reached)].tolist()
        return torch.cat([self.members(other) for other in nearby])[: self.most]


def _find_middles(points: Tensor, n_cells: int) -> Tensor:
    generator = torch.Generator().manual_seed(0)
    order = torch.randperm(len(points), generator=generator).to(points.device)
    sample = points[order[: SAMPLED * n_cells]]
    middles = sample[:n_cells].clone()
    for _ in range(N_ROUNDS):
        cell = _nearest_middle(sample, middles)
        sums = torch.zeros_like(middles).index_add_(0, cell, sample)
        counts = torch.bincount(cell, minlength=n_cells).unsqueeze(1)
        middles = torch.where(counts > 0, sums / counts.clamp(min=1), middles)
    return middles


def _nearest_middle(points: Tensor, middles: Tensor) -> Tensor:
    norms = middles.square().sum(dim=1)
    blocks = points.split(max(1, BLOCK_SIZE // len(middles)))
    return torch.cat(
        [torch.addmm(norms, block, middles.mT, alpha=-2).argmin(1) for block in blocks]
    )
