"""Which points to label next: those that stand for many others.

With labels, points are chosen one by one so that each raises most how well all points are covered,
the sum over points of their largest similarity to a labeled or chosen point (greedy coverage): the
mean of the squared cosines in the embedding that diffusion gives and of the features. As labels
grow in number, uncertain points count more (uncertainty herding). Without any label, the points are
clustered in that embedding into as many clusters as points are asked for, and of each the point is
taken that is, by its features, the nearest to half of the others (TypiClust's rule, but for these
two views).
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sklearn.cluster import KMeans
from torch import Tensor

from diffresnet.estimators.parts.kept_columns import KeptColumns
from diffresnet.estimators.points import FittedPoints
from diffresnet.estimators.solution import Solution
from diffresnet.learning.strength import Strength, default_steps
from diffresnet.learning.views import View

Rows = npt.NDArray[np.int64]

N_COVERED = 4000
"""At most this number of points, drawn at random, stand for all."""

N_CANDIDATES = 2000
N_LOOKED_AT = 32
"""Candidates that are compared at a time."""

TAKEN = -1.0
"""Less than any candidate adds."""

MANY_LABELS = 5.0
"""Labels per class at which uncertainty has half of the weight."""

N_CLUSTERED = 20_000
"""At most this number of points, drawn at random, are clustered; the others follow them."""

N_STARTS = 5
"""Of the search for clusters; the best is taken."""

FEWEST_NEAR = 20
NEAR_PART = 0.5
"""A point is typical of a cluster if the mean distance to this part of it, or more, is small."""


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
    points, strength = solution.points, solution.strength
    order = torch.randperm(len(labeled), generator=torch.Generator().manual_seed(0))
    covered, is_free = order[:N_COVERED], torch.from_numpy(~labeled)
    kept = points.once(
        ("similarities", strength), lambda: _keep_similarities(points, strength, covered)
    )
    candidates = order[is_free[order]][: max(N_CANDIDATES, n)]
    missed = _missed_components(points.components, labeled)[:n]
    firsts = np.unique(points.components, return_index=True)[1][missed]
    candidates = torch.unique(torch.cat([torch.from_numpy(firsts), candidates]))
    homes = torch.from_numpy(points.components.astype(np.int64))[candidates]
    cover = torch.zeros(len(covered))
    for block in torch.from_numpy(np.flatnonzero(labeled)).split(N_CANDIDATES):
        cover = torch.maximum(cover, kept.columns(block).amax(dim=0))
    part = n_per_class / (n_per_class + MANY_LABELS)
    worth = (1 - part) + part * _doubt(torch.from_numpy(solution.probabilities)[covered])
    greedy = _Greedy(kept.columns(candidates), cover, worth)
    n_chosen = min(n, len(candidates))
    needed = [*(homes == int(one) for one in missed), *[None] * n_chosen][:n_chosen]
    return candidates[[greedy.take(one) for one in needed]].numpy()


def _doubt(probabilities: Tensor) -> Tensor:
    """Return one minus the margin of each point, (n,); 1 while there is one class only."""
    if probabilities.shape[1] < 2:
        return torch.ones(len(probabilities))
    top = probabilities.topk(2, dim=1).values
    return (1 - (top[:, 0] - top[:, 1])).float()


class _Greedy:
    """Candidates one by one, each of which raises most how well all points are covered.

    What a candidate adds can only become less, so that those that added little before need not be
    looked at again: the choice is that of looking at all.
    """

    def __init__(self, alike: Tensor, cover: Tensor, worth: Tensor) -> None:
        """Begin with the similarities (c, m) of candidates to the points, covered so far."""
        self.alike, self.cover, self.worth = alike, cover, worth
        self.bounds = self._gains(torch.arange(len(alike)))

    def take(self, allowed: Tensor | None) -> int:
        """Return the best candidate that was not taken yet, of those that are `allowed`."""
        bounds = self.bounds if allowed is None else torch.where(allowed, self.bounds, TAKEN)
        bounds, best, most = bounds.clone(), -1, -torch.inf
        while float(bounds.max()) >= most:
            some = bounds.topk(min(N_LOOKED_AT, len(bounds))).indices
            some = some[bounds[some] > TAKEN].sort().values
            if len(some) == 0:
                break
            gains = self._gains(some)
            self.bounds[some], bounds[some] = gains, TAKEN
            largest, place = float(gains.max()), int(some[int(gains.argmax())])
            if largest > most or (largest == most and place < best):
                best, most = place, largest
        self.bounds[best] = TAKEN
        self.cover = torch.maximum(self.cover, self.alike[best])
        return best

    def _gains(self, some: Tensor) -> Tensor:
        blocks = some.split(N_LOOKED_AT)
        return torch.cat(
            [(self.alike[one] - self.cover).clamp_(min=0) @ self.worth for one in blocks]
        )


def suggest_first(n: int, points: FittedPoints, step_size: float, seed: int) -> Rows:
    """Return the points to label first, when there is no label at all, the largest cluster first.

    Args:
        n: how many.
        points: all of them, and their graph.
        step_size: of diffusion.
        seed: of the clusters.
    """
    n = min(n, points.operator.n_points)
    n_steps = default_steps(points.spectrum, step_size, n)
    places = View.of_graph(points.spectrum, step_size, n_steps).points.float()
    shown = [places, *_feature_view(points)][-1]
    drawn = np.random.default_rng(seed).permutation(len(places))[: max(N_CLUSTERED, n)]
    options: dict[str, Any] = {"n_init": N_STARTS, "random_state": seed}
    clusters = KMeans(n, **options).fit(places[drawn].numpy()).predict(places.numpy())
    sizes = np.bincount(clusters, minlength=n)
    found = [_most_typical(shown, np.flatnonzero(clusters == one)) for one in np.argsort(-sizes)]
    return np.array([one for one in found if one is not None], dtype=np.int64)


def _feature_view(points: FittedPoints) -> list[Tensor]:
    """Return where the features put the points, (N, d), of length one, if there are any."""
    if points.points is None:
        return []
    return [View.of_features(points.points).points.float()]


def _keep_similarities(points: FittedPoints, strength: Strength, covered: Tensor) -> KeptColumns:
    """Return the similarities of any points to the `covered` ones.

    They are the mean of the squared cosines in all views, obtuse angles as right ones.
    """
    views = [View.of_graph(points.spectrum, strength.step_size, strength.n_steps)]
    if points.points is not None:
        views.append(View.of_features(points.points))
    seen = [view.at(covered).float() for view in views]

    def make(rows: Tensor) -> Tensor:
        pairs = zip(views, seen, strict=True)
        cosines = [(view.at(rows).float() @ own.mT).clamp(min=0) for view, own in pairs]
        return torch.stack([one.square() for one in cosines]).mean(dim=0)

    return KeptColumns(len(covered), make)


def _most_typical(shown: Tensor, rows: Rows) -> int | None:
    """Return the row that is the nearest to the nearer half of its cluster."""
    if len(rows) == 0:
        return None
    own = shown[torch.from_numpy(rows[:N_COVERED])]
    n_near = min(max(FEWEST_NEAR, int(NEAR_PART * len(own))), len(own) - 1)
    near = torch.cdist(own, own).topk(n_near + 1, dim=1, largest=False).values
    return int(rows[int(near.mean(dim=1).argmin())])


def _missed_components(components: npt.NDArray[Any], labeled: npt.NDArray[np.bool_]) -> Rows:
    """Return the components without any label, the largest first."""
    missed = np.setdiff1d(np.arange(components.max() + 1), components[labeled])
    sizes = np.bincount(components)[missed]
    return missed[np.argsort(-sizes, kind="stable")].astype(np.int64)
