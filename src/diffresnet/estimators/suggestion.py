"""Which points to label next: those that stand for many others.

With labels, points are chosen one by one so that each raises most how well all points are covered,
the sum over points of their largest squared similarity to a labeled or chosen point, in the
embedding that diffusion gives (greedy coverage). As labels grow in number, uncertain points count
more (uncertainty herding). Without any label, it is the densest point of each of as many clusters
as points are asked for (TypiClust's rule).
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sklearn.cluster import KMeans
from torch import Tensor

from diffresnet.estimators.points import FittedPoints
from diffresnet.estimators.solution import Solution
from diffresnet.estimators.strength import default_steps
from diffresnet.estimators.views import View
from diffresnet.learning.labels import Labels

Rows = npt.NDArray[np.int64]

N_COVERED = 4000
"""At most this number of points, drawn at random, stand for all."""

N_CANDIDATES = 2000
MANY_LABELS = 5.0
"""Labels per class at which uncertainty has half of the weight."""

N_NEAR = 20
"""A point is typical of a cluster if the mean distance to this number of points is small."""


def suggest_points(
    n: int, solution: Solution, labeled: npt.NDArray[np.bool_], n_per_class: float
) -> Rows:
    """Return points of components without a label, then those that cover the most others.

    Args:
        n: how many, at most as many as have no label.
        solution: of a fit.
        labeled: (N,) those that have a label are never suggested.
        n_per_class: the number of labels per class.
    """
    points = solution.embedding.float()
    generator = torch.Generator().manual_seed(0)
    order = torch.randperm(len(points), generator=generator)
    is_free = torch.from_numpy(~labeled)
    covered = order[:N_COVERED]
    candidates = order[is_free[order]][: max(N_CANDIDATES, n)]
    first = _of_missed_components(solution, labeled)[:n]
    candidates = torch.unique(torch.cat([torch.from_numpy(first), candidates]))
    alike = (points[covered] @ points[candidates].mT).clamp(min=0).square()
    known = points[torch.from_numpy(np.flatnonzero(labeled))]
    cover = torch.zeros(len(covered))
    for block in known.split(N_CANDIDATES):
        near = (points[covered] @ block.mT).clamp(min=0).square()
        cover = torch.maximum(cover, near.amax(dim=1))
    top = torch.from_numpy(solution.probabilities)[covered].topk(2, dim=1).values
    part = n_per_class / (n_per_class + MANY_LABELS)
    worth = (1 - part) + part * (1 - (top[:, 0] - top[:, 1])).float()
    chosen: list[int] = []
    for turn in range(min(n, len(candidates))):
        gains = worth @ (alike - cover.unsqueeze(1)).clamp(min=0)
        gains[torch.isin(candidates, torch.tensor(chosen, dtype=torch.long))] = -1
        best = int(gains.argmax())
        if turn < len(first):
            best = int(torch.searchsorted(candidates, int(first[turn])))
        chosen.append(int(candidates[best]))
        cover = torch.maximum(cover, alike[:, best])
    return np.array(chosen, dtype=np.int64)


def suggest_first(n: int, points: FittedPoints, step_size: float, seed: int) -> Rows:
    """Return the points to label first, when there is no label at all, the largest cluster first.

    Args:
        n: how many.
        points: all of them, and their graph.
        step_size: of diffusion.
        seed: of the clusters.
    """
    n = min(n, points.operator.n_points)
    labels = Labels(torch.arange(n), torch.arange(n), n)
    n_steps = default_steps(points.spectrum, step_size, labels)
    places = View.of_graph(points.spectrum, step_size, n_steps).points.float().numpy()
    kmeans: Any = KMeans(n, random_state=seed)
    clusters = kmeans.fit_predict(places)
    sizes = np.bincount(clusters, minlength=n)
    found = [_most_typical(places, np.flatnonzero(clusters == one)) for one in np.argsort(-sizes)]
    return np.array([one for one in found if one is not None], dtype=np.int64)


def _most_typical(places: npt.NDArray[np.float32], rows: Rows) -> int | None:
    """Return the row whose nearest ones in its cluster are the nearest."""
    if len(rows) == 0:
        return None
    own: Tensor = torch.from_numpy(places[rows[:N_COVERED]])
    near = torch.cdist(own, own).topk(min(N_NEAR + 1, len(own)), dim=1, largest=False).values
    return int(rows[int(near.mean(dim=1).argmin())])


def _of_missed_components(solution: Solution, labeled: npt.NDArray[np.bool_]) -> Rows:
    """Return a point of each component without any label, the largest component first."""
    components = solution.points.components
    missed = np.setdiff1d(np.arange(components.max() + 1), components[labeled])
    sizes = np.bincount(components)[missed]
    firsts = np.unique(components, return_index=True)[1]
    return firsts[missed[np.argsort(-sizes, kind="stable")]].astype(np.int64)
