"""Approximate neighbor search: only among the points of nearby cells.

k-means divides the points into cells. The points of a cell are compared first with those of the few
cells next to it, in one matrix product: that says how far their neighbors are at most. Then every
point is compared with the cells that it is near to itself, all points that ask for a cell at once,
and only what is nearer than that is looked at. It costs N^1.5, not N^2.
"""

import math
from functools import partial

import torch
from torch import Tensor

from diffresnet._support.allocation import give_back_freed_memory
from diffresnet._support.threads import share
from diffresnet.graph.exact_search import Neighbors, nearest_of
from diffresnet.graph.smallest import smallest

CELLS = 4
"""Cells, in units of the root of the number of points."""

FIRST = 8
"""Cells that all points of a cell are compared with, their own counted."""

PROBES = 24
"""Other cells that a point is compared with, the nearest to it,"""

WIDE = 512
"""among this number of cells that are nearest to its own."""

CROWDED = 4
"""No point is compared with more than this multiple of the usual number: a cell of duplicates, all
as near as each other, would cost the square of its size."""

SPARE_CANDIDATES = 4
"""How many candidates more than neighbors are chosen in float32."""

ASKED = 2**15
"""Points whose cells are asked, before what was found is put in order: it fills the memory."""

BATCH = 256
"""Cells whose points are compared with those nearby, before memory is given back."""

NOISE = 2.0**-20
"""What is nearer by less than this part of the squared lengths may be so by rounding only."""

SMALL_BLOCK = 2**19
"""Distances that are computed at a time; they stay in the cache."""

SHARED_BLOCK = 2**20
"""Numbers that each thread has in memory at a time, where no cell is looked at."""

SAMPLED = 32
"""Points a cell that k-means looks at."""

N_ROUNDS = 5


def can_search_cells(n_points: int, n_neighbors: int) -> bool:
    """Tell whether there are cells enough for a gain, and points enough in them."""
    n_cells = CELLS * math.isqrt(n_points)
    return n_cells >= WIDE and (FIRST + PROBES) * n_points // n_cells > 8 * n_neighbors


def search_cells(points: Tensor, n_neighbors: int) -> Neighbors:
    """Find most of the nearest neighbors of every point (N, d); see `can_search_cells`."""
    # Between 1 and 2 in size, squares neither overflow nor vanish; a power of two changes no digit.
    exponent = math.frexp(float(points.abs().max()))[1] - 1
    half = exponent // 2  # the power itself may be out of range
    points = points * 2.0**-half * 2.0 ** (half - exponent)
    cells = _Cells(points, CELLS * math.isqrt(len(points)))
    points = points[cells.order]
    search = _Search(points, cells, n_neighbors - 1)
    asked = torch.full((len(points), PROBES), -1, dtype=torch.int32, device=points.device)
    for some in torch.arange(cells.n_cells).split(BATCH):
        share(partial(search.look_nearby, asked), some.tolist())
        give_back_freed_memory()
    search.look_around(asked)
    distances = points.new_zeros(len(points), n_neighbors)
    indices = cells.order.unsqueeze(1).repeat(1, n_neighbors)

    def measure(some: Tensor) -> None:
        near = nearest_of(search.found[some], points, points[some], n_neighbors - 1)
        distances[some, 1:], indices[some, 1:] = near.distances, cells.order[near.indices]

    rows = torch.arange(len(points), device=points.device)
    n_numbers = search.found.shape[1] * points.shape[1]
    share(measure, rows.split(max(1, SHARED_BLOCK // n_numbers)))
    places = cells.order.argsort()
    return Neighbors(distances[places] * 2.0**half * 2.0 ** (exponent - half), indices[places])


class _Search:
    """The nearest that were found so far, of points (N, d) in the order of their cells.

    Attributes:
        squared: (N, n_chosen) squared distances, from near to far.
        found: (N, n_chosen) whose they are.
    """

    def __init__(self, points: Tensor, cells: "_Cells", n_others: int) -> None:
        self.points, self.cells, self.last = points, cells, max(0, n_others - 1)
        shape = len(points), n_others + SPARE_CANDIDATES
        self.squared = torch.full(shape, torch.inf, dtype=torch.float64, device=points.device)
        self.found = torch.zeros(shape, dtype=torch.int64, device=points.device)

    def look_nearby(self, asked: Tensor, cell: int) -> None:
        """Compare the points of a cell with those of the cells next to it.

        Args:
            asked: (N, PROBES) where it writes which other cells each of them asks; -1 is none.
            cell: which.
        """
        n_chosen, members = self.found.shape[1], self.cells.members(cell)
        candidates, n_first = self.cells.candidates(cell, n_chosen + 1)
        origin = self.points[members[0]]
        nearby, unit = _around(self.points[candidates], origin)
        norms = nearby.square().sum(dim=1)
        for rows in members.split(max(1, SMALL_BLOCK // len(candidates))):
            own = ((self.points[rows] - origin) / unit).float()
            reduced = torch.addmm(norms, own, nearby.mT, alpha=-2)
            reduced.masked_fill_(candidates == rows.unsqueeze(1), torch.inf)
            chosen = smallest(reduced, n_chosen)
            squared = reduced.gather(1, chosen) + own.square().sum(dim=1, keepdim=True)
            self.squared[rows] = squared.double().clamp(min=0) * unit.double().square()
            self.found[rows] = candidates[chosen]
        others = self.cells.nearby[cell, n_first:]
        if len(others):
            n_asked = min(PROBES, len(others))
            centered = (self.points[members] - self.cells.mean).float()
            apart = torch.cdist(centered, self.cells.middles[others])
            asked[members, :n_asked] = others[smallest(apart, n_asked)].int()

    def look_around(self, asked: Tensor) -> None:
        """Compare all points with the cells that they ask, (N, PROBES)."""
        pairs = asked.flatten()
        order = pairs.argsort(stable=True)[int((pairs < 0).sum()) :]
        counts = torch.bincount(pairs[order], minlength=self.cells.n_cells).tolist()
        askers = order.div_(PROBES, rounding_mode="floor").split(counts)
        for cells in torch.arange(self.cells.n_cells).chunk(-(-len(asked) // ASKED)):
            ask = partial(self._ask, askers)
            hits = [hit for some in share(ask, cells.tolist()) for hit in some]
            if hits:
                self._keep(*(torch.cat(parts) for parts in zip(*hits, strict=True)))
            del hits
            give_back_freed_memory()

    def _ask(self, askers: tuple[Tensor, ...], cell: int) -> list[tuple[Tensor, Tensor, Tensor]]:
        """Return which points of a cell are nearer to those who ask than what they have."""
        members = self.cells.members(cell)[: self.cells.most_of_one]
        origin = self.points[members[0]]
        nearby, unit = _around(self.points[members], origin)
        norms, hits = nearby.square().sum(dim=1), list[tuple[Tensor, Tensor, Tensor]]()
        area = unit.double().square()
        for rows in askers[cell].split(max(1, SMALL_BLOCK // len(members))):
            own = ((self.points[rows] - origin) / unit).float()
            lengths = own.square().sum(dim=1)
            limit = (self.squared[rows, self.last] / area).float()
            limit -= lengths + NOISE * (lengths + norms.max())
            reduced = torch.addmm(norms, own, nearby.mT, alpha=-2)
            near = reduced < limit.unsqueeze(1)
            n_chosen = min(self.found.shape[1], len(members))
            if int(near.sum()) > n_chosen * len(rows):
                near &= torch.zeros_like(near).scatter_(1, smallest(reduced, n_chosen), value=True)
            row, column = near.nonzero().unbind(dim=1)
            squared = (reduced[row, column] + lengths[row]).double().clamp(min=0) * area
            hits.append((rows[row], members[column], squared))
        return hits

    def _keep(self, rows: Tensor, others: Tensor, squared: Tensor) -> None:
        """Keep what was found, of each row the nearest."""
        order = squared.argsort(stable=True)
        order = order[rows[order].argsort(stable=True)]
        rows, others, squared = rows[order], others[order], squared[order]
        changed, counts = rows.unique_consecutive(return_counts=True)
        which = torch.arange(len(changed), device=rows.device).repeat_interleave(counts)
        place = torch.arange(len(rows), device=rows.device) - (counts.cumsum(0) - counts)[which]
        n_chosen = self.found.shape[1]
        fits = place < n_chosen
        added = self.squared.new_full((len(changed), n_chosen), torch.inf)
        names = self.found.new_zeros(added.shape)
        added[which[fits], place[fits]] = squared[fits]
        names[which[fits], place[fits]] = others[fits]
        every = torch.cat([self.squared[changed], added], dim=1)
        best = every.topk(n_chosen, dim=1, largest=False)
        named = torch.cat([self.found[changed], names], dim=1).gather(1, best.indices)
        self.squared[changed], self.found[changed] = best.values, named


def _around(points: Tensor, origin: Tensor) -> tuple[Tensor, Tensor]:
    """Return points around one of them, in units of the largest, in float32; and that unit.

    So float32 tells points of tight clusters.
    """
    moved = points - origin
    unit = moved.abs().max()
    unit = torch.where(unit > 0, unit, 1)  # one point, or several that are equal
    return (moved / unit).float(), unit


class _Cells:
    """The points (N, d), divided by k-means, and put in the order of their cells."""

    def __init__(self, points: Tensor, n_cells: int) -> None:
        self.mean = points.mean(dim=0)
        centered = (points - self.mean).float()
        middles = _find_middles(centered, n_cells)
        cell = _nearest_middle(centered, middles)
        used, cell, sizes = cell.unique(return_inverse=True, return_counts=True)
        self.n_cells, self.middles = len(used), middles[used]
        self.order = cell.argsort(stable=True)
        self.sizes = sizes
        self.ends = sizes.cumsum(dim=0).tolist()
        apart = torch.cdist(self.middles, self.middles).fill_diagonal_(-1)
        self.nearby = apart.topk(min(WIDE, self.n_cells), dim=1, largest=False).indices
        self.most_of_one = max(1, CROWDED * len(points) // n_cells)
        self.most = FIRST * self.most_of_one

    def members(self, cell: int) -> Tensor:
        """Return the points of a cell."""
        start = self.ends[cell - 1] if cell else 0
        return torch.arange(start, self.ends[cell], device=self.order.device)

    def candidates(self, cell: int, n_least: int) -> tuple[Tensor, int]:
        """Return the points of the cells nearest to this one, of a crowd only the first.

        And how many cells these are, so that there are points enough.
        """
        nearby = self.nearby[cell]
        reached = int(torch.searchsorted(self.sizes[nearby].cumsum(dim=0), n_least)) + 1
        n_first, n_most = max(FIRST, reached), max(self.most, n_least)
        found = torch.cat([self.members(other) for other in nearby[:n_first].tolist()])
        if len(found) < n_least:  # of all these cells: then any
            found = torch.arange(len(self.order), device=self.order.device)
        return found[:n_most], n_first


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
    norms, n_rows = middles.square().sum(dim=1), max(1, SHARED_BLOCK // len(middles))
    # Written into one tensor: small results between large ones would keep memory from being reused.
    found = torch.empty(len(points), dtype=torch.int64, device=points.device)

    def find(start: int) -> None:
        some = slice(start, start + n_rows)
        found[some] = torch.addmm(norms, points[some], middles.mT, alpha=-2).argmin(1)

    share(find, range(0, len(points), n_rows))
    return found
