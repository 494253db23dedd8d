"""Which points to label next."""

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor


def suggest_points(
    n: int,
    points: Tensor,
    *,
    probabilities: Tensor,
    labeled: npt.NDArray[np.bool_],
    components: npt.NDArray[np.int32],
    reached: npt.NDArray[np.bool_],
) -> npt.NDArray[np.int64]:
    """Return points of components without a label, then uncertain ones, each unlike the last.

    Args:
        n: how many, at most as many as have no label.
        points: (N, d) where the graph puts them, of length one.
        probabilities: (N, K) of the classes.
        labeled: (N,) those that have a label are never suggested.
        components: (N,) the component of the graph that a point belongs to.
        reached: (N,) whether its component has a label.
    """
    top = probabilities.topk(min(2, probabilities.shape[1]), dim=1).values
    uncertainty = (1 - (top[:, 0] - top[:, -1])).to(points)
    sizes = torch.from_numpy(np.bincount(components)[components]).to(points)
    missed = ~torch.from_numpy(reached)
    # A component without labels is worth all of its points; else a point is worth its uncertainty.
    worth = torch.where(missed, 2 + sizes / len(points), uncertainty + 1e-6)
    worth[torch.from_numpy(labeled)] = -torch.inf
    chosen: list[int] = []
    for _ in range(min(n, int((~labeled).sum()))):
        best = int(worth.argmax())
        chosen.append(best)
        alike = (points @ points[best]).clamp(0, 1)
        same_component = torch.from_numpy(components == components[best])
        fewer = torch.where(missed, worth, worth * (1 - alike))
        worth = torch.where(missed & same_component, worth.clamp(max=1e-6), fewer)
        worth[torch.from_numpy(labeled)] = -torch.inf
        worth[torch.tensor(chosen)] = -torch.inf
    return np.array(chosen, dtype=np.int64)
