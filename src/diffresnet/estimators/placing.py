"""The points of an estimator and their graph, with equal rows as one point."""

from typing import Any

import numpy as np
import numpy.typing as npt

from diffresnet.estimators.copies import Copies
from diffresnet.estimators.input import GraphParameters, choose_search
from diffresnet.estimators.points import FittedPoints


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
    copies = Copies.none(n_rows)
    if features is not None and links is None:
        found = Copies.of(features)
        if encoded is None or found.keeps_every_class(encoded, n_classes):
            copies = found
    if features is not None and copies.n_copies > 0:
        features = features[copies.first]
    points = FittedPoints.make(
        features,
        links,
        n_classes=n_classes,
        n_top=model.n_top,
        bandwidth_rank=model.bandwidth_rank,
        normalization=model.normalization,
        search=choose_search(model.search, len(copies.first)),
        seed=seed,
    )
    return points, copies
