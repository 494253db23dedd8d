"""Diffusion within a mini-batch, over weights built from the batch itself (Remark 1)."""

from typing import get_args

import torch
from torch import Tensor, nn

from diffresnet._support.checks import FLOAT_DTYPES, check_choice, check_count
from diffresnet._support.types import Normalization
from diffresnet.diffusion.operator import DiffusionOperator
from diffresnet.graph.weights import build_weights
from diffresnet.nn.diffusion import Diffusion


class MiniBatchDiffusion(nn.Module):
    """Diffuse the features of a mini-batch over the neighbor graph of the batch's own inputs.

    The weights "in each batch are sparsified and normalized correspondingly" (Remark 1): labeled
    and unlabeled samples of the batch exchange features. It has no parameters and goes into any
    model::

        self.diffusion = MiniBatchDiffusion(step_size=0.5, n_steps=4, n_top=8)   # in __init__
        x = self.diffusion(x, images)                                            # in forward

    What a sample becomes depends on the batch that it is in, at evaluation too: evaluate in batches
    of the size and mixture of training.

    Args:
        step_size: gamma, not negative.
        n_steps: r; 0 makes this the identity.
        n_top: weights kept in a row, the sample itself counted; a smaller batch keeps all.
        bandwidth: see `build_weights`.
        bandwidth_rank: see `build_weights`; in a smaller batch, the last sample.
        normalization: see `build_weights`.
        dropout: see `Diffusion`.

    Shape:
        Features (N, ...), inputs (N, ...), samples first; the output has the shape of the features.

    Raises:
        ValueError: if an argument is out of range, or if features and inputs differ in number.

    Examples:
        >>> inputs = torch.tensor([[0.0], [0.1], [5.0], [5.1]])
        >>> layer = MiniBatchDiffusion(step_size=1.0, n_steps=20, n_top=2)
        >>> layer(torch.tensor([[1.0], [0.0], [0.0], [0.0]]), inputs)
        tensor([[0.5000],
                [0.5000],
                [0.0000],
                [0.0000]])
    """

    def __init__(
        self,
        step_size: float,
        n_steps: int,
        *,
        n_top: int,
        bandwidth: float | None = None,
        bandwidth_rank: int | None = None,
        normalization: Normalization = "symmetric",
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.diffusion = Diffusion(step_size, n_steps, dropout)
        self.n_top = check_count("MiniBatchDiffusion", "n_top", n_top, low=1)
        self.bandwidth = bandwidth
        self.bandwidth_rank = bandwidth_rank
        check_choice("MiniBatchDiffusion", "normalization", normalization, get_args(Normalization))
        self.normalization: Normalization = normalization

    def operator(self, inputs: Tensor) -> DiffusionOperator:
        """Return the operator of a mini-batch, to be shared by several layers."""
        n_samples = len(inputs)
        rank = self.bandwidth_rank
        weights = build_weights(
            inputs.detach().reshape(n_samples, -1),
            min(self.n_top, n_samples),
            bandwidth=self.bandwidth,
            bandwidth_rank=None if rank is None else min(rank, n_samples),
            normalization=self.normalization,
        )
        return DiffusionOperator(weights)

    def forward(self, x: Tensor, inputs: Tensor) -> Tensor:
        """Return the features of the batch, diffused over the graph of its inputs."""
        if self.diffusion.n_steps == 0 or len(inputs) == 0:
            return x
        half = inputs.dtype in (torch.float16, torch.bfloat16)
        operator = self.operator(inputs.float() if half else inputs)
        return self.diffusion(x, operator.to(x.dtype) if x.dtype in FLOAT_DTYPES else operator)
