"""How unlike any labeled point: a witness for points of none of the classes."""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from scipy.stats import rankdata
from torch import Tensor

from diffresnet.estimators.solution import Solution
from diffresnet.graph import matrix as mx

STRENGTH = 4.0
"""Of the diffusion of distances, in units of the mean rate."""

BLOCK = 2**24
"""How many similarities are in memory at a time."""


def measure_novelty(solution: Solution, rows: Tensor) -> npt.NDArray[np.float64]:
    """Return the novelty of each fitted point, (N,), from 0 to 1.

    The mean of two ranks: of the distance to the nearest labeled point where diffusion puts the
    points, and of that among the features, diffused.

    Args:
        solution: of a fit.
        rows: (n,) the labeled points.
    """
    ranks = [_rank(_farness(solution.embedding, rows))]
    points, strength = solution.points, solution.strength
    if points.points is not None:
        mean = float(mx.diagonal(points.operator.laplacian).mean())
        n_steps = max(1, round(STRENGTH / max(strength.step_size * mean, 1e-6)))
        far = _farness(points.points, rows).unsqueeze(1)
        ranks.append(_rank(points.operator.diffuse(far, strength.step_size, n_steps)[:, 0]))
    return np.mean(ranks, axis=0)


def _farness(points: Tensor, rows: Tensor) -> Tensor:
    """Return one minus the largest cosine with a labeled point, (N,)."""
    own = points[rows]
    blocks = points.split(max(1, BLOCK // len(own)))
    return 1 - torch.cat([(block @ own.mT).amax(dim=1) for block in blocks])


def _rank(values: Tensor) -> npt.NDArray[Any]:
    return (rankdata(values.numpy()) - 1) / max(len(values) - 1, 1)
