"""The points of an estimator and their graph, with copies as one point."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from diffresnet.estimators.copies import Copies
from diffresnet.estimators.features import FeatureSpace, Placed
from diffresnet.estimators.input import GraphParameters, choose_search
from diffresnet.estimators.points import FittedPoints

FEWEST_NEAR = 6
"""So many near copies become one point: the width of the kernel at each would be their distance."""


def place(
    model: GraphParameters,
    features: Any,
    links: Any,
    *,
    n_classes: int,
    seed: int,
    encoded: npt.NDArray[np.int64] | None = None,
) -> tuple[FittedPoints, Copies]:
    """Build the graph.

    Args:
        model: its parameters say how.
        features: (N, d), or None.
        links: (N, N), or None.
        n_classes: to be told apart; 1 for values.
        seed: of the reduction of features.
        encoded: (N,) the class of each row, -1 for none, if there are labels.
    """
    n_rows: int = (links if features is None else features).shape[0]
    copies, placed = Copies.none(n_rows), None
    if features is not None and links is None:

        def keep_classes(found: Copies) -> Copies:
            if encoded is None or found.n_copies == 0:
                return found
            return found.keeping_every_class(encoded, n_classes)

        copies, placed = _place_once(features, seed, keep_classes)
    points = FittedPoints.make(
        features,
        links,
        n_classes=n_classes,
        n_top=model.n_top,
        bandwidth_rank=model.bandwidth_rank,
        normalization=model.normalization,
        search=choose_search(model.search, len(copies.first)),
        seed=seed,
        placed=placed,
    )
    return points, copies


def _place_once(
    features: Any, seed: int, keep_classes: Callable[[Copies], Copies]
) -> tuple[Copies, Placed]:
    """Return which rows are copies, and the others as points.

    Args:
        features: (N, d).
        seed: of their reduction.
        keep_classes: sees to it that every class keeps a label.
    """
    copies = keep_classes(Copies.of(features))
    placed = FeatureSpace.fit(features[copies.first] if copies.n_copies else features, seed)
    near = Copies.near(placed.points, placed.lengths, FEWEST_NEAR)
    if near.n_copies == 0:
        return copies, placed
    copies = keep_classes(copies.then(near))
    return copies, FeatureSpace.fit(features[copies.first], seed)
