"""r times {dropout, diffusion step}, in a way that fits the cache.

A diffusion step treats every column of features by itself, so all steps of a few columns are taken
before the next few: they stay in the cache. Dropout takes one random byte a number, and its scale
goes into the step's matrix.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from diffresnet._support.checks import check_probability, fail
from diffresnet.diffusion.linear import apply_linear
from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.graph import matrix as mx
from diffresnet.graph.product import column_blocks, product

LEVELS = 256
"""Random bytes decide, so that the rate of dropout is a multiple of 1/256."""

Bits = npt.NDArray[np.bool_]


class DropoutDiffusion:
    """r times {dropout, x <- x - step_size (Lambda - W) x} (Appendix E.2, in the code's order).

    Args:
        operator: symmetric, (N, N) and sparse: the same product serves both directions.
        step_size: gamma.
        n_steps: r.
        dropout: probability that a number is set to 0 before a step, rounded to parts of 256.

    Raises:
        ValueError: if the weights of the operator are not symmetric, or `dropout` is out of range.
    """

    def __init__(
        self, operator: DiffusionOperator, step_size: float, n_steps: int, dropout: float
    ) -> None:
        name = type(self).__name__
        if not operator.is_symmetric:
            remedy = "Use `graph_weights`, or average the weights with their transpose."
            fail(name, "operator", "symmetric", "weights that are not", remedy)
        if not mx.is_csr(operator.laplacian):
            remedy = "Use `graph_weights` of a CSR matrix."
            fail(name, "operator", "sparse", "dense weights", remedy)
        check_probability(name, "dropout", dropout)
        self.n_steps, self.rate = n_steps, min(round(dropout * LEVELS), LEVELS - 1)
        kept = 1 - self.rate / LEVELS
        self.scaled_step = mx.affine(operator.laplacian, -step_size / kept, 1 / kept)

    def __call__(self, x: Tensor, random: np.random.Generator) -> Tensor:
        """Diffuse (N, d) features with dropout."""
        kept = [self.draw(block, random) for block in column_blocks(x.detach())]

        def forward(block: Tensor, bits: Bits) -> Tensor:
            for one in bits:
                block = product(self.scaled_step, _drop(block, one))
            return block

        def backward(block: Tensor, bits: Bits) -> Tensor:
            for one in bits[::-1]:
                block = _drop(product(self.scaled_step, block), one)
            return block

        def in_blocks(take_steps: Callable[[Tensor, Bits], Tensor], x: Tensor) -> Tensor:
            return torch.cat(list(map(take_steps, column_blocks(x), kept)), dim=1)

        return apply_linear(x, partial(in_blocks, forward), partial(in_blocks, backward))

    def draw(self, block: Tensor, random: np.random.Generator) -> Bits:
        """Return, for each step, which numbers of a block stay, (n_steps, *block.shape)."""
        n_bytes = self.n_steps * block.numel()
        longs = random.integers(0, 2**64, -(-n_bytes // 8), dtype=np.uint64)
        return (longs.view(np.uint8)[:n_bytes] >= self.rate).reshape(self.n_steps, *block.shape)


def _drop(x: Tensor, kept: Bits) -> Tensor:
    """Set numbers to 0, in place."""
    if x.device.type == "cpu":
        np.multiply(x.numpy(), kept, out=x.numpy())  # several times faster than torch
        return x
    return x.mul_(torch.from_numpy(kept).to(x.device))
