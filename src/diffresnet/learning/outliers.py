"""Rows far from all others: they must not set the center and the scale of the others."""

import torch
from torch import Tensor

from diffresnet.learning.row_blocks import row_blocks

FAR = 100.0
"""How far a row is out, in typical deviations of a feature."""

MOST_OUT, FEW_ROWS = 0.01, 5
"""More than this part of the rows, or more than few, cannot be out: then it is how features are
distributed. Of very few rows a tenth."""

N_SAMPLED = 2000
"""Rows that typical deviations are measured on, at most."""


def find_outliers(features: Tensor) -> Tensor:
    """Tell which rows (N,) have a feature far from what it is elsewhere.

    The typical deviation of a feature is the root of its mean squared distance from its median,
    without the largest ones: as many as may be out.

    Args:
        features: (N, d).

    Examples:
        >>> features = torch.arange(20.0).unsqueeze(1)
        >>> features[3] = -1e6
        >>> find_outliers(features).nonzero().tolist()
        [[3]]
    """
    n_points = len(features)
    # Spread over all rows, so that it does not depend on a generator.
    rows = torch.linspace(0, n_points - 1, min(n_points, N_SAMPLED), dtype=torch.float64).long()
    median = features[rows].median(dim=0).values
    n_most = _most_out(len(rows))
    apart = (features[rows] - median).abs()
    largest = apart.kthvalue(max(1, len(rows) - n_most), dim=0).values
    kept = torch.where(apart <= largest, apart, 0)
    unit = largest.clamp(min=torch.finfo(features.dtype).tiny)
    typical = unit * (kept / unit).square().mean(dim=0).sqrt()
    reach = torch.where(typical > 0, FAR * typical, torch.inf)
    low, high = median - reach, median + reach
    found = torch.cat([((some < low) | (some > high)).any(dim=1) for some in row_blocks(features)])
    return found if int(found.sum()) <= _most_out(n_points) else torch.zeros_like(found)


def _most_out(n_rows: int) -> int:
    return max(1, min(FEW_ROWS, n_rows // 10), int(MOST_OUT * n_rows))
