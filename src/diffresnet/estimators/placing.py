"""The points of an estimator and their graph, with copies as one point."""

from typing import Any

import numpy as np
import numpy.typing as npt

from diffresnet._support.stages import stage
from diffresnet.estimators.copies import Copies, digest_rows, order_rows
from diffresnet.estimators.given import Given
from diffresnet.estimators.input import GraphParameters, choose_search
from diffresnet.estimators.points import FittedPoints
from diffresnet.learning.features import FeatureSpace, Placed

Classes = npt.NDArray[np.int64]

FEWEST_NEAR = 6
"""From this number on near copies become one point: their distance would be the kernel's width."""


def place(
    model: GraphParameters,
    given: Given,
    *,
    n_classes: int,
    seed: int,
    encoded: Classes | None = None,
) -> tuple[FittedPoints, Copies]:
    """Build the graph.

    Args:
        model: its parameters say how.
        given: the features, the graph, the neighbors.
        n_classes: to be told apart; 1 for values.
        seed: of the reduction of features.
        encoded: (N,) the class of each row, -1 for none, if there are labels.
    """
    copies, placed = Copies.none(given.n_points), None
    if given.is_features_only:
        with stage("features"):
            copies, placed = _place_once(given.features, seed, encoded, n_classes)
    points = FittedPoints.make(
        given.features,
        given.links,
        neighbors=given.neighbors,
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
    features: Any, seed: int, encoded: Classes | None, n_classes: int
) -> tuple[Copies, Placed]:
    """Return which rows are copies, and the others as points, in an order of their own.

    Args:
        features: (N, d).
        seed: of their reduction.
        encoded: (N,) the class of each row, or None. Every class keeps a label.
        n_classes: K.
    """
    digests = digest_rows(features)
    order = order_rows(features, digests, encoded)

    def keep_classes(found: Copies) -> Copies:
        if encoded is None or found.n_copies == 0:
            return found
        return found.keeping_every_class(encoded[order], n_classes)

    copies = keep_classes(Copies.of_digests(digests[order]))
    placed = FeatureSpace.fit(features[order[copies.first]], seed)
    near = Copies.near(placed.points, placed.lengths, FEWEST_NEAR)
    if near.n_copies:
        copies = keep_classes(copies.then(near))
        placed = FeatureSpace.fit(features[order[copies.first]], seed)
    return copies.before(order), placed
