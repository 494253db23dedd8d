"""Residual networks written down rather than trained: hinges along one direction (Appendix B)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import torch
from torch import nn

from diffresnet.nn.residual_block import ResidualBlock, two_layers
from diffresnet.theory.grouped_points import Floats


def orthogonal_direction(direction: Floats) -> Floats:
    """Return a unit vector beta* orthogonal to a unit vector w* of two entries or more.

    The paper takes (1, ..., 1, -(w_1 + ... + w_{d-1}) / w_d), which is large where w_d is small.

    Examples:
        >>> orthogonal_direction(np.array([0.6, 0.8])).round(9).tolist()
        [0.8, -0.6]
    """
    beta = -direction[np.abs(direction).argmin()] * direction
    beta[np.abs(direction).argmin()] += 1
    beta -= (beta @ direction) * direction  # once more, for rounding
    return beta / np.linalg.norm(beta)


@dataclass(frozen=True)
class Hinges:
    """The function sum_k slope_k relu(w*.x - knot_k) beta*.

    Attributes:
        direction: (d,) w*.
        shift: (d,) beta*, orthogonal to it.
        knots: where each hinge begins.
        slopes: of each hinge.
    """

    direction: Floats
    shift: Floats
    knots: Sequence[float]
    slopes: Sequence[float]


def hinge_network(hinges: Hinges, width: int, dtype: torch.dtype) -> nn.Sequential:
    """Return the network that adds the hinges to x: ceil(n_hinges / width) residual blocks.

    Since beta* is orthogonal to w*, no block changes w*.x, and the blocks add up. A block has
    `width` hinges; of the last one some may be 0.
    """
    pairs = list(zip(hinges.knots, hinges.slopes, strict=True))
    direction, shift = torch.from_numpy(hinges.direction), torch.from_numpy(hinges.shift)
    blocks: list[nn.Module] = []
    for first in range(0, len(pairs), width):
        inner = two_layers(len(direction), width).to(dtype)
        incoming, outgoing = cast("nn.Linear", inner[0]), cast("nn.Linear", inner[2])
        for parameter in inner.parameters():
            nn.init.zeros_(parameter)
        for place, (knot, slope) in enumerate(pairs[first : first + width]):
            with torch.no_grad():
                incoming.weight[place] = direction
                incoming.bias[place] = -knot
                outgoing.weight[:, place] = slope * shift
        blocks.append(ResidualBlock(inner))
    return nn.Sequential(*blocks)


def nearest_level(shift: Floats, levels: Sequence[float], dtype: torch.dtype) -> nn.Linear:
    """Return the linear classifier whose best score is that of the level nearest to beta*.x.

    |beta*.x - level|^2 differs between levels by the affine level (beta*.x) - level^2 / 2 only: the
    regions are parted by parallel planes half-way between levels.
    """
    middle = sum(levels) / len(levels)
    classifier = nn.Linear(len(shift), len(levels)).to(dtype)
    heights = torch.tensor([level - middle for level in levels], dtype=torch.float64)
    scale = float(heights.abs().max()) or 1.0
    with torch.no_grad():
        classifier.weight.copy_(torch.outer(heights / scale, torch.from_numpy(shift)))
        classifier.bias.copy_(-heights / scale * (heights / 2 + middle))
    return classifier
