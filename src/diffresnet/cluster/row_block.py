"""A block of rows of the graph and of all vectors on it: what one worker holds.

Vectors are files of some columns each; in memory are those that are being multiplied.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from diffresnet._support.threads import limited_threads
from diffresnet.cluster.graph_rows import GraphRows, Layout, Parcels
from diffresnet.cluster.work import ROWS, Array, StoredRows, Work

if TYPE_CHECKING:
    from diffresnet.cluster.learner import Scorer


@dataclass(frozen=True)
class Polynomial:
    """sum_k c_k T_k((L - center) / half).

    Attributes:
        center: of the interval.
        half: of its length.
        coefficients: c_0, ..., c_degree.
    """

    center: float
    half: float
    coefficients: tuple[float, ...]

    @property
    def degree(self) -> int:
        """The number of products that it takes."""
        return len(self.coefficients) - 1


@dataclass(frozen=True)
class Sources:
    """Columns that are 0 but in some rows, of which the modes are treated apart.

    Attributes:
        rows: (n,) numbers of points.
        values: (n, c) there.
        in_modes: (w, c) V' x, x the columns less their means.
        gains: (w,) what becomes of the modes.
        means: (c,) of the columns.
    """

    rows: Array
    values: Array
    in_modes: Array
    gains: Array
    means: Array


class RowBlock:
    """Rows of the graph, and of vectors.

    Args:
        work: where their files are.
        layout: of all blocks.
        number: which block this is.

    Attributes:
        graph: the rows of the graph.
    """

    def __init__(self, work: Work, layout: Layout, number: int) -> None:
        self.graph = GraphRows(work, layout, number)
        self.work, self.number, self.n_own = work, number, self.graph.n_own
        self.polynomial, self.n_done = Polynomial(0.0, 1.0, (1.0,)), 0
        self.state: dict[str, Tensor] = {}

    def _name(self, stage: str, part: int) -> str:
        return f"vectors/{stage}/{part}/{self.number}.npy"

    def has(self, stage: str, part: int) -> bool:
        """Tell whether vectors of a stage are there."""
        return self.work.has(self._name(stage, part))

    def interpolate(self, stage: str, modes: Array, width: int) -> None:
        """Start from the modes (m, w) of landmarks: a point has the mean of those near to it."""
        for part, first in enumerate(range(0, modes.shape[1], width)):
            columns = modes[:, first : first + width]

            def make(columns: Array = columns) -> Iterator[Array]:
                for shard in self.graph.shards:
                    near = self.work.load(f"shards/{shard}/near.npy")
                    weights = self.work.load(f"shards/{shard}/near_weights.npy")
                    yield np.einsum("nkc,nk->nc", columns[near], weights)

            shape = (self.n_own, columns.shape[1])
            self.work.save_rows(self._name(stage, part), shape, np.float32, make())

    def begin(self, stage: str, part: int, polynomial: Polynomial) -> Parcels:
        """Take vectors that a polynomial of L is to be applied to."""
        return self._begin(self.work.load(self._name(stage, part)), polynomial)

    def _begin(self, own: Array, polynomial: Polynomial) -> Parcels:
        now = self.graph.empty(own.shape[1])
        now[: self.n_own] = torch.from_numpy(own)
        self.polynomial, self.n_done, self.state = polynomial, 0, {"now": now}
        if any(polynomial.coefficients[:-1]):
            self.state["sum"] = polynomial.coefficients[0] * now[: self.n_own]
        return None, self.graph.send(now)

    def step(self, *inbox: Array) -> Parcels:
        """Take T_{k+1} from T_k and T_{k-1}: one product."""
        now, polynomial = self.state["now"], self.polynomial
        self.graph.receive(now, inbox)
        before = self.state["before"] if self.n_done else self.graph.empty(now.shape[1])
        factor = (2 if self.n_done else 1) / polynomial.half
        with limited_threads(1):
            for rows in self.graph.rows:
                moved = rows.times(now).sub_(now[rows.where], alpha=polynomial.center)
                last = before[rows.where]
                torch.sub(moved.mul_(factor), last, out=last)
        self.n_done += 1
        if "sum" in self.state:
            coefficient = polynomial.coefficients[self.n_done]
            self.state["sum"].add_(before[: self.n_own], alpha=coefficient)
        self.state |= {"now": before, "before": now}
        return None, self.graph.send(before)

    def finish(self, stage: str, part: int, *inbox: Array) -> None:
        """Write the last vectors x, and L x."""
        now = self.state["now"]
        self.graph.receive(now, inbox)
        self.state = {"now": now}
        with limited_threads(1):
            moved = (rows.times(now).numpy() for rows in self.graph.rows)
            shape = (self.n_own, now.shape[1])
            self.work.save_rows(self._name(f"{stage}-moved", part), shape, np.float32, moved)
        self.work.save(self._name(stage, part), now[: self.n_own].numpy())
        self.state = {}

    def _stored(self, stage: str, n_parts: int) -> list[StoredRows]:
        return [self.work.rows(self._name(stage, part)) for part in range(n_parts)]

    def measure(self, stage: str, n_parts: int) -> Array:
        """Return B' B and B' L B of the own rows of all vectors, (2, w, w), in float64."""
        parts, moved = self._stored(stage, n_parts), self._stored(f"{stage}-moved", n_parts)
        width = sum(one.shape[1] for one in parts)
        total = np.zeros((2, width, width))
        for first in range(0, self.n_own, ROWS):
            own = _side_by_side(parts, first).astype(np.float64)
            total[0] += own.T @ own
            total[1] += own.T @ _side_by_side(moved, first)
        return total

    def rotate(self, stage: str, n_parts: int, rotation: Array, new: str) -> Array:
        """Write B C as the vectors of a new stage; return the sums of its columns."""
        parts, begin = self._stored(stage, n_parts), 0
        sums: list[Array] = []
        for part, one in enumerate(parts):
            columns = rotation[:, begin : begin + one.shape[1]].astype(np.float32)
            total, begin = np.zeros(one.shape[1]), begin + one.shape[1]

            def make(columns: Array = columns, total: Array = total) -> Iterator[Array]:
                for first in range(0, self.n_own, ROWS):
                    block = _side_by_side(parts, first) @ columns
                    total += block.sum(axis=0, dtype=np.float64)
                    yield block

            shape = (self.n_own, one.shape[1])
            self.work.save_rows(self._name(new, part), shape, np.float32, make())
            sums.append(total)
        return np.concatenate(sums)

    def look_up(self, stage: str, n_parts: int, numbers: Array) -> tuple[Array, Array]:
        """Return the modes and the points of some own rows, given by their numbers."""
        places = numbers - self.graph.low
        modes = [one.take(places) for one in self._stored(stage, n_parts)]
        points = [self.work.rows(f"shards/{shard}/points.npy") for shard in self.graph.shards]
        edges = np.concatenate([[0], np.cumsum([len(one) for one in points])])
        width = self.work.rows("shards/0/points.npy").shape[1]  # a block may have no shard
        found = np.zeros((len(places), width), np.float32)
        for one, first, last in zip(points, edges[:-1], edges[1:], strict=True):
            mine = (places >= first) & (places < last)
            found[mine] = one.take(places[mine] - first)
        return np.concatenate(modes, axis=1), found

    def begin_sources(
        self, stage: str, n_parts: int, sources: Sources, polynomial: Polynomial
    ) -> Parcels:
        """Take columns less what the modes have of them, for a polynomial of L."""
        fast = np.empty((self.n_own, len(sources.means)), np.float32)
        parts = self._stored(stage, n_parts)
        for first in range(0, self.n_own, ROWS):
            fast[first : first + ROWS] = -(_side_by_side(parts, first) @ sources.in_modes)
        fast -= sources.means
        mine = (sources.rows >= self.graph.low) & (sources.rows < self.graph.high)
        np.add.at(fast, sources.rows[mine] - self.graph.low, sources.values[mine])
        return self._begin(fast, polynomial)

    def finish_sources(
        self, stage: str, n_parts: int, sources: Sources, numbers: Array, name: str
    ) -> tuple[Array, Array]:
        """Add what becomes of the modes; return the sums of columns, and some rows.

        With a `name` all rows are written.
        """
        found = self.state.get(
            "sum", self.state["now"][: self.n_own] * self.polynomial.coefficients[-1]
        )
        parts, gained = self._stored(stage, n_parts), sources.gains[:, None] * sources.in_modes
        for first in range(0, self.n_own, ROWS):
            added = _side_by_side(parts, first) @ gained
            found[first : first + ROWS] += torch.from_numpy(added.astype(np.float32))
        self.state = {}
        if name:
            self.work.save(self._name(name, 0), found.numpy())
        rows = found.numpy()[numbers - self.graph.low]
        return found.sum(dim=0, dtype=torch.float64).numpy(), rows

    def answer(self, stage: str, n_parts: int, scorer: "Scorer", kernels: tuple[str, ...]) -> None:
        """Write what is predicted for the own points: class, probability and margin."""
        parts = self._stored(stage, n_parts)
        spread = [self.work.rows(self._name(name, 0)) for name in kernels]
        components = self.work.rows(f"components/{self.number}.npy")
        first = 0
        for shard in self.graph.shards:
            stored, found = self.work.rows(f"shards/{shard}/points.npy"), list[Array]()
            for begin in range(0, len(stored), ROWS):
                own = stored.read(begin, begin + ROWS)
                last = first + len(own)
                modes, columns = (_side_by_side(one, first, last) for one in (parts, spread))
                found.append(scorer.answer(modes, own, columns, components.read(first, last)))
                first = last
            self.work.save(f"answers/{shard}.npy", np.concatenate([np.zeros((0, 4)), *found]))


def _side_by_side(parts: list[StoredRows], first: int, last: int | None = None) -> Array:
    last = first + ROWS if last is None else last
    return np.concatenate([one.read(first, last) for one in parts], axis=1)
