"""Label spreading: what labels say through a graph, without features (Zhou and others, 2004)."""

import torch
from torch import Tensor


def spread_labels(weights: Tensor, targets: Tensor, alpha: float, *, n_rounds: int) -> Tensor:
    """Iterate F <- alpha S F + (1 - alpha) Y from F = Y.

    Args:
        weights: (N, N) S, normalized symmetrically; dense or sparse.
        targets: (N, K) Y, 1 at the class of each labeled point and 0 elsewhere.
        alpha: what a point takes from its neighbors, below 1.
        n_rounds: how often.
    """
    now = targets
    for _ in range(n_rounds):
        now = alpha * (weights @ now) + (1 - alpha) * targets
    return now


def spread_labels_fully(weights: Tensor, targets: Tensor, alpha: float) -> Tensor:
    """Return the limit of `spread_labels`, (1 - alpha) (I - alpha S)^-1 Y, of dense weights.

    Args:
        weights: (..., N, N) S, normalized symmetrically.
        targets: (..., N, K) Y.
        alpha: what a point takes from its neighbors, below 1.

    Examples:
        >>> weights = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
        >>> spread_labels_fully(weights, torch.tensor([[1.0], [0.0]]), 0.5)
        tensor([[0.6667],
                [0.3333]])
    """
    return (1 - alpha) * resolvent(weights, alpha) @ targets


def resolvent(weights: Tensor, alpha: float) -> Tensor:
    """Return (I - alpha S)^-1 of dense weights (..., N, N)."""
    own = torch.eye(weights.shape[-1], dtype=weights.dtype, device=weights.device)
    return torch.linalg.inv(own - alpha * weights)
