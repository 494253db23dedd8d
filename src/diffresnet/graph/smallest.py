"""The few smallest of many numbers."""

import torch
from torch import Tensor

N_GROUPED = 16
"""Numbers of which the least is found first, where many are compared."""


def smallest(values: Tensor, n_smallest: int) -> Tensor:
    """Return where the smallest of each row (n, m) are, the least first.

    Of many numbers, first the least of each of many groups: the smallest are in the groups with
    the smallest.
    """
    n_groups = values.shape[1] // N_GROUPED
    if n_groups < 2 * n_smallest:
        return values.topk(n_smallest, dim=1, largest=False).indices
    end = n_groups * N_GROUPED
    least = values[:, :end].unflatten(1, (N_GROUPED, n_groups)).amin(dim=1)
    groups = least.topk(n_smallest, dim=1, largest=False).indices
    steps = torch.arange(0, end, n_groups, device=values.device).view(1, -1, 1)
    rest = torch.arange(end, values.shape[1], device=values.device).expand(len(values), -1)
    where = torch.cat([(groups.unsqueeze(1) + steps).flatten(1), rest], dim=1)
    chosen = values.gather(1, where).topk(n_smallest, dim=1, largest=False).indices
    return where.gather(1, chosen)
