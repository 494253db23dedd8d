"""All blocks of the graph together, started again when one of them is lost."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from diffresnet._support.checks import fail
from diffresnet.cluster.engine import Engine, Parcel, WorkerLostError
from diffresnet.cluster.graph_rows import Layout
from diffresnet.cluster.row_block import Polynomial, RowBlock
from diffresnet.cluster.work import Array, Work

Result = TypeVar("Result")

MOST_STARTS = 10
"""Of the blocks, as long as workers die before anything is done."""

TOLERANCE = 32 * float(np.finfo(np.float32).eps)
"""Of the row sums of balanced weights."""
MOST_ROUNDS = 10_000


class Blocks:
    """The blocks of a graph.

    Args:
        engine: that holds them.
        work: where their files are.
        layout: which points each has.

    Attributes:
        n_restarts: how often they were started again.
        n_halo: rows that they need of each other, together.
        n_products: with the graph, of a few columns each, so far.
    """

    def __init__(self, engine: Engine, work: Work, layout: Layout) -> None:
        self.engine, self.work, self.layout = engine, work, layout
        self.handles: list[Any] = []
        self.high, self.mean_rate = 0.0, 0.0
        self.n_restarts, self.n_halo, self.n_products = 0, 0, 0

    def run(self, task: Callable[[], Result]) -> Result:
        """Return what a task returns; if a block is lost, all start from their files, and it too.

        The task depends on files alone, and may be done twice.
        """
        for _ in range(MOST_STARTS - 1):
            try:
                return self._try(task)
            except WorkerLostError:
                self.n_restarts += 1
                self.stop()
        try:
            return self._try(task)
        except WorkerLostError:
            got = f"workers that died {MOST_STARTS} times in the same place"
            remedy = "Call again with less `memory`: blocks are smaller, and the graph is kept."
            fail("classify", "cluster", "one whose workers live", got, remedy)

    def _try(self, task: Callable[[], Result]) -> Result:
        if not self.handles:
            self._start()
        return task()

    def stop(self) -> None:
        """Let the blocks go."""
        handles, self.handles = self.handles, []
        self.engine.stop(handles)

    def call(self, method: str, *same: Any, own: Sequence[tuple[Any, ...]] | None = None) -> Any:
        """Return what a method of every block returns, given the same, and what is its own."""
        own = [()] * self.layout.n_blocks if own is None else own
        return self.engine.call(self.handles, method, [(*same, *mine) for mine in own])

    def exchange(
        self, method: str, *same: Any, inbox: list[list[Parcel]] | None = None
    ) -> tuple[list[Any], list[list[Parcel]]]:
        """Call a method that has something for every block; return values, and what each gets.

        The inbox is emptied, so that nobody keeps parcels that were opened.
        """
        n_blocks = self.layout.n_blocks
        inbox = [[] for _ in range(n_blocks)] if inbox is None else inbox
        items = ((*same, *inbox.pop(0)) for _ in range(n_blocks))
        found = self.engine.call(self.handles, method, items, n_blocks)
        outgoing = [parcels for _, parcels in found]
        return [value for value, _ in found], [list(mine) for mine in zip(*outgoing, strict=True)]

    def _start(self) -> None:
        """Start the blocks, let them tell each other what they need, and balance the weights."""
        numbers = range(self.layout.n_blocks)
        items = [(self.work, self.layout, one) for one in numbers]
        self.handles = self.engine.start(RowBlock, items)
        _, inbox = self.exchange("graph.ask")
        self.n_halo = sum(self.call("graph.hear", own=[tuple(mine) for mine in inbox]))
        if not all(self.work.has(f"factors/{one}.npy") for one in numbers):
            self._balance()
        diagonals = self.call("graph.make_laplacian")
        self.high = 2 * max(largest for largest, _ in diagonals)  # Gershgorin: no rate is above
        total = sum(one for _, one in diagonals)
        self.mean_rate = max(total / max(1, self.layout.n_points), 1e-12)
        if not all(self.work.has(f"components/{one}.npy") for one in numbers):
            self._name_components()

    def _balance(self) -> None:
        """Scale the weights so that rows sum to 1: see `diffresnet.normalize`."""
        _, inbox = self.exchange("graph.begin_balance")
        for _ in range(MOST_ROUNDS):
            errors, inbox = self.exchange("graph.step_balance", inbox=inbox)
            if max(errors) <= TOLERANCE:
                break
        self.call("graph.end_balance")

    def _name_components(self) -> None:
        """Join the components of the blocks to those of the graph."""
        _, inbox = self.exchange("graph.find_components")
        found = self.call("graph.pair_components", own=[tuple(mine) for mine in inbox])
        pairs = np.concatenate(found)
        numbers, places = np.unique(pairs, return_inverse=True)
        places = places.reshape(-1, 2)
        shape = (len(numbers), len(numbers))
        links = sparse.coo_array((np.ones(len(places)), tuple(places.T)), shape=shape)
        _, joined = connected_components(links.tocsr(), directed=False)
        firsts = np.full(len(numbers), len(numbers))
        np.minimum.at(firsts, joined, np.arange(len(numbers)))
        names = dict(zip(numbers.tolist(), numbers[firsts[joined]].tolist(), strict=True))
        self.call("graph.name_components", names)

    def multiply(self, polynomial: Polynomial, inbox: list[list[Parcel]]) -> list[list[Parcel]]:
        """Apply a polynomial of L to what the blocks have begun with."""
        self.n_products += polynomial.degree + 1
        for _ in range(polynomial.degree):
            _, inbox = self.exchange("step", inbox=inbox)
        return inbox

    def look_up(self, stage: str, n_parts: int, numbers: Array) -> tuple[Array, Array]:
        """Return the modes and points of some rows, given by their numbers among all points."""
        owner = np.searchsorted(self.layout.bounds, numbers, side="right") - 1
        each = [np.flatnonzero(owner == one) for one in range(self.layout.n_blocks)]
        found = self.call("look_up", stage, n_parts, own=[(numbers[mine],) for mine in each])
        return put_back(each, [one for one, _ in found]), put_back(each, [one for _, one in found])


def put_back(places: Sequence[Array], parts: Sequence[Array]) -> Array:
    """Return the rows of all parts, each at its place."""
    found = np.concatenate(parts)
    whole = np.empty_like(found)
    whole[np.concatenate(places)] = found
    return whole
