"""Which points to label next."""

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor


def suggest_points(
    n: int,
    points: Tensor,
    *,
    chances: Tensor,
    labeled: npt.NDArray[np.bool_],
    components: npt.NDArray[np.int32],
    reached: npt.NDArray[np.bool_],
) -> npt.NDArray[np.int64]:
    """Return points of parts without a label, then uncertain ones, each unlike those before it.

    Args:
        n: how many, at most as many as have no label.
        points: (N, d) where the graph puts them, of length one.
        chances: (N, K) their probabilities.
        labeled: (N,) those that have a label are never suggested.
        components: (N,) the part of the graph that a point belongs to.
        reached: (N,) whether its part has a label.
    """
    top = chances.topk(min(2, chances.shape[1]), dim=1).values
    uncertainty = (1 - (top[:, 0] - top[:, -1])).to(points)
    sizes = torch.from_numpy(np.bincount(components)[components]).to(points)
    missed = ~torch.from_numpy(reached)
    # A part without labels is worth all of its points; else a point is worth its uncertainty.
    worth = torch.where(missed, 2 + sizes / len(points), uncertainty + 1e-6)
    worth[torch.from_numpy(labeled)] = -torch.inf
    chosen: list[int] = []
    for _ in range(min(n, int((~labeled).sum()))):
        best = int(worth.argmax())
        chosen.append(best)
        alike = (points @ points[best]).clamp(0, 1)
        same_part = torch.from_numpy(components == components[best])
        fewer = torch.where(missed, worth, worth * (1 - alike))
        worth = torch.where(missed & same_part, worth.clamp(max=1e-6), fewer)
        worth[torch.from_numpy(labeled)] = -torch.inf
        worth[torch.tensor(chosen)] = -torch.inf
    return np.array(chosen, dtype=np.int64)
