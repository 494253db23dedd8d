"""Labels spread over the graph in blocks: products with (L / m + floor)^-2.

As `diffusion.filters` does on one machine: the slow modes exactly, all others by a polynomial.
"""

import numpy as np
import torch

from diffresnet.cluster.blocks import Blocks, put_back
from diffresnet.cluster.modes import Modes
from diffresnet.cluster.row_block import Polynomial, Sources
from diffresnet.cluster.work import Array
from diffresnet.diffusion.filters import MARGIN, interpolate
from diffresnet.graph.product import COLUMNS
from diffresnet.learning.mixture_settings import FLOOR


class Spreading:
    """The kernel of the graph, applied to columns.

    Args:
        blocks: of the graph.
        modes: its slow modes.
    """

    def __init__(self, blocks: Blocks, modes: Modes) -> None:
        self.blocks, self.modes = blocks, modes
        rates = modes.rates.double().numpy()
        blocks.run(lambda: None)  # so that the rates are known
        self.gains = self._function(rates)
        low, high = MARGIN * float(rates[-1]), blocks.high
        self.polynomial = Polynomial(0.0, 1.0, (0.0,))
        if len(rates) < blocks.layout.n_points and low < high:
            found = interpolate(self._function, low, high)
            self.polynomial = Polynomial((low + high) / 2, (high - low) / 2, found)

    def _function(self, rates: Array) -> Array:
        return (rates / self.blocks.mean_rate + FLOOR) ** -2

    def _sources(self, rows: Array, values: Array, modes_there: Array) -> Sources:
        """Return columns that have these values in some rows, whose modes are known."""
        n_points = self.blocks.layout.n_points
        means = values.sum(axis=0) / n_points
        shift = n_points * np.outer(self.modes.means.double().numpy(), means)
        in_modes = modes_there.T.astype(np.float64) @ values - shift
        parts = (values, in_modes, self.gains, means)
        return Sources(rows, *(one.astype(np.float32) for one in parts))

    def columns(self, rows: Array, modes_there: Array, wanted: Array) -> Array:
        """Return the kernel (m, n) between the wanted points and those of some rows.

        Args:
            rows: (n,) numbers of points.
            modes_there: (n, w) their modes.
            wanted: (m,) numbers of points.
        """
        parts: list[Array] = []
        for first in range(0, len(rows), COLUMNS):
            name = f"kernel/{first}.npy"
            if not self.blocks.work.has(name):
                some = slice(first, min(first + COLUMNS, len(rows)))
                values = np.eye(some.stop - first)
                sources = self._sources(rows[some], values, modes_there[some])
                means, found = self.blocks.run(lambda s=sources: self._apply(s, wanted, ""))
                self.blocks.work.save(name, found - means)
            parts.append(self.blocks.work.load(name))
        return np.concatenate(parts, axis=1).astype(np.float32)

    def spread(
        self, rows: Array, modes_there: Array, values: torch.Tensor
    ) -> tuple[tuple[str, ...], torch.Tensor]:
        """Write what values (n, K) in some rows become; return the names, and means to take off."""
        names, means = list[str](), list[torch.Tensor]()
        for first in range(0, values.shape[1], COLUMNS):
            name = f"spread-{first}"
            given = values[:, first : first + COLUMNS].numpy()
            sources = self._sources(rows, given, modes_there)
            found, _ = self.blocks.run(lambda s=sources, n=name: self._apply(s, rows[:0], n))
            names.append(name)
            means.append(torch.from_numpy(found))
        return tuple(names), torch.cat(means)

    def _apply(self, sources: Sources, wanted: Array, name: str) -> tuple[Array, Array]:
        """Return the means of the columns that come out, and some rows of them."""
        blocks, modes = self.blocks, self.modes
        stage = modes.stage, modes.n_parts
        _, inbox = blocks.exchange("begin_sources", *stage, sources, self.polynomial)
        blocks.multiply(self.polynomial, inbox)
        bounds = blocks.layout.bounds
        owner = np.searchsorted(bounds, wanted, side="right") - 1
        each = [np.flatnonzero(owner == one) for one in range(blocks.layout.n_blocks)]
        own = [(wanted[mine], name) for mine in each]
        found = blocks.call("finish_sources", *stage, sources, own=own)
        means = np.sum([sums for sums, _ in found], axis=0) / blocks.layout.n_points
        return means, put_back(each, [rows for _, rows in found])
