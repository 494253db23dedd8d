"""Columns of a kernel at all fitted points: made once for each labeled point, kept for later ones.

A function that the kernel spans is then a product with coefficients, whichever labels come and go.
"""

from collections.abc import Callable
from dataclasses import dataclass
from threading import RLock
from typing import Any

import torch
from torch import Tensor

from diffresnet._support.threads import share
from diffresnet.estimators.points import ROWS

LARGEST_KEPT = 2**28
"""How many numbers may be kept (1 GB)."""

CHUNK = 16
"""Columns that are made, and have room, together."""


@dataclass(frozen=True, eq=False)
class HeldColumns:
    """Columns of some rows as they are kept; whatever other threads ask for, these stay.

    Attributes:
        chunks: all columns that are kept, (CHUNK, N) each.
        n_columns: how many of them are made.
        places: (n,) which of them are those of the rows.
    """

    chunks: tuple[Tensor, ...]
    n_columns: int
    places: Tensor

    def entries(self, others: Tensor) -> Tensor:
        """Return the kernel from others (m,) to the rows, (m, n)."""
        found = torch.empty(len(others), len(self.places))
        for number, chunk in enumerate(self.chunks):
            mine = (self.places // CHUNK == number).nonzero()[:, 0]
            found[:, mine] = chunk[(self.places[mine] % CHUNK).unsqueeze(1), others].mT
        return found

    def columns(self) -> Tensor:
        """Return the columns themselves, (n, N)."""
        found = torch.empty(len(self.places), self.chunks[0].shape[1])
        for number, chunk in enumerate(self.chunks):
            mine = (self.places // CHUNK == number).nonzero()[:, 0]
            found[mine] = chunk[self.places[mine] % CHUNK]
        return found

    def sum_up(self, coefficients: Tensor, some: Tensor | slice | None = None) -> Tensor:
        """Return sum_j k(x, x_j) c_j of all fitted points x, or some, (n, K).

        Args:
            coefficients: (n, K) the c_j of the rows.
            some: rows of the points; None for all.
        """
        padded = torch.zeros(CHUNK * len(self.chunks), coefficients.shape[1])
        padded[self.places] = coefficients.float()

        def product(points: Tensor | slice) -> Tensor:
            total, left = torch.zeros(0), self.n_columns
            for chunk, own in zip(self.chunks, padded.split(CHUNK), strict=True):
                seen = chunk[:left]
                is_rows = isinstance(points, Tensor)
                seen = seen.index_select(1, points) if is_rows else seen[:, points]
                found = own[:left].mT @ seen
                total, left = found if len(total) == 0 else total.add_(found), left - CHUNK
            return total.mT

        if some is not None:
            return product(some)
        starts = range(0, self.chunks[0].shape[1], ROWS)
        return torch.cat(share(product, [slice(start, start + ROWS) for start in starts]))


class KeptColumns:
    """Columns k(x, x_j) of a kernel, by the row j of a fitted point.

    Threads may ask for columns of the same labels at the same time.

    Args:
        n_points: N.
        make: (c,) rows to their columns, (c, N) in single precision.

    Examples:
        >>> kept = KeptColumns(3, lambda rows: torch.eye(3)[rows])
        >>> held = kept.hold(torch.tensor([2, 0]))
        >>> held.sum_up(torch.tensor([[5.0], [7.0]]))[:, 0]
        tensor([7., 0., 5.])
    """

    def __init__(self, n_points: int, make: Callable[[Tensor], Tensor]) -> None:
        self.n_points, self.make, self.lock = n_points, make, RLock()
        self.places: dict[int, int] = {}
        self.chunks: list[Tensor] = []

    def __getstate__(self) -> dict[str, Any]:
        """Leave behind what can be made again."""
        return {"n_points": self.n_points, "make": self.make}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Begin without columns."""
        self.__init__(**state)

    def hold(self, rows: Tensor) -> HeldColumns | None:
        """Return the columns of these rows, missing ones made; None if there is no room."""
        n_rooms = LARGEST_KEPT // max(1, self.n_points)
        if len(rows) > n_rooms:
            return None
        with self.lock:
            self._make_missing(rows, n_rooms)
            return self._find(rows)

    def held(self, rows: Tensor) -> tuple[Tensor, HeldColumns]:
        """Tell which of these rows have a column, (n,), and return those columns."""
        with self.lock:
            is_held = torch.tensor([row in self.places for row in rows.tolist()], dtype=torch.bool)
            return is_held, self._find(rows[is_held])

    def columns(self, rows: Tensor) -> Tensor:
        """Return the columns of some rows, (n, N), from what is kept or made anew."""
        held = self.hold(rows)
        return self.make(rows) if held is None else held.columns()

    def _find(self, rows: Tensor) -> HeldColumns:
        places = torch.tensor([self.places[row] for row in rows.tolist()], dtype=torch.long)
        return HeldColumns(tuple(self.chunks), len(self.places), places)

    def _make_missing(self, rows: Tensor, n_rooms: int) -> None:
        missing = [row for row in rows.tolist() if row not in self.places]
        if len(self.places) + len(missing) > n_rooms:  # labels that are gone take the room
            self.places, self.chunks, missing = {}, [], rows.tolist()
        while missing:
            place = len(self.places)
            if place == CHUNK * len(self.chunks):
                self.chunks.append(torch.empty(CHUNK, self.n_points))
            some = missing[: CHUNK - place % CHUNK]
            ends = slice(place % CHUNK, place % CHUNK + len(some))
            self.chunks[-1][ends] = self.make(torch.tensor(some))
            self.places |= {row: place + number for number, row in enumerate(some)}
            missing = missing[len(some) :]
