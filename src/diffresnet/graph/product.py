"""The product of a CSR matrix and many dense columns, block by block, on a CPU."""

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

import torch
from scipy import sparse
from torch import Tensor
from torch.nn.functional import embedding_bag

from diffresnet._support.checks import fail
from diffresnet._support.threads import n_sharing, share
from diffresnet.graph.matrix import csr, csr_parts, to_scipy

COLUMNS = 32
"""Blocks of columns are a multiple of this wide."""

FEWEST_SHARED = 50_000
"""Rows from which on it is worth a thread to share them."""

CACHED = 2**18
"""How many numbers a block of columns has, if there are not too many rows (1 MB in float32)."""


def product(matrix: Tensor, x: Tensor) -> Tensor:
    """Return W x of a CSR matrix and dense columns, without gradients.

    A row of the result is a weighted sum of rows of x, which is what embedding bags are: torch's
    kernel for them is three times faster than that for CSR, if x has some tens of columns and
    fits the cache (see `column_blocks`).
    """
    if x.device.type != "cpu" or x.dtype != torch.float32:
        return matrix @ x
    if x.shape[0] != matrix.shape[1]:
        fail("product", "x", f"of {matrix.shape[1]} rows", f"{x.shape[0]}", "Transpose it?")
    starts, columns, values = csr_parts(matrix)
    return embedding_bag(
        columns,
        x.detach(),
        starts,
        mode="sum",
        per_sample_weights=values.detach(),
        include_last_offset=True,
    )


class SharedProduct:
    """The product of a CSR matrix and dense columns, for which threads share the rows.

    It pays for few columns of many rows: `column_blocks` gives threads nothing to share there.
    """

    def __init__(self, matrix: Tensor) -> None:
        """Cut the rows of a matrix into parts, one for each thread that shares."""
        starts, columns, values = csr_parts(matrix)
        n_parts = n_sharing() if matrix.shape[0] >= FEWEST_SHARED else 1
        ends = torch.linspace(0, matrix.shape[0], n_parts + 1).long().tolist()
        self.parts: list[Tensor] = []
        for first, last in pairwise(ends):
            own = slice(int(starts[first]), int(starts[last]))
            rows = starts[first : last + 1] - starts[first]
            self.parts.append(csr(rows, columns[own], values[own], matrix.shape[1]))

    def __call__(self, x: Tensor) -> Tensor:
        """Return W x."""
        if x.shape[1] == 1 and x.device.type == "cpu":
            return torch.cat(share(lambda part: _of_one_column(part, x), self._for_one_column))
        if len(self.parts) == 1:
            return product(self.parts[0], x)
        return torch.cat(share(lambda part: product(part, x), self.parts))

    @cached_property
    def _for_one_column(self) -> list[sparse.csr_array]:
        """The parts as SciPy has them, whose product with one column is the fastest."""
        return [to_scipy(part) for part in self.parts]


def _of_one_column(part: sparse.csr_array, x: Tensor) -> Tensor:
    return torch.from_numpy(part @ x.detach()[:, 0].numpy()).unsqueeze(1)


def column_blocks(x: Tensor) -> Iterator[Tensor]:
    """Yield copies of the columns of x, some tens at a time, so that each fits the cache."""
    n_columns = max(COLUMNS, CACHED // max(1, len(x)) // COLUMNS * COLUMNS)
    for part in x.split(n_columns, dim=1):
        yield part.clone(memory_format=torch.contiguous_format)
