"""Very many labels: kernels learn from some of them, and the others count as held out.

The work of ridge regression grows with the cube of the labels, and the memory of kernels with
labels times points.
"""

from dataclasses import replace
from typing import TypeVar

import torch

from diffresnet.estimators.parts.kept_columns import LARGEST_KEPT
from diffresnet.estimators.parts.part import RidgePart, Targets
from diffresnet.estimators.points import FittedPoints

MOST_LABELS = 4000
"""What kernels learn from at most."""

FEWEST_LABELS = 1000
"""So many they learn from also where points are so many that their columns are not kept."""

Some = TypeVar("Some", bound=Targets)


def few_of(points: FittedPoints, labels: Some) -> Some:
    """Return the labels that kernels learn from: all, or some that are drawn at random.

    While labels come and go, those that stay are drawn again.

    Args:
        points: all of them.
        labels: of some, or values.
    """
    n_points = points.operator.n_points
    n_most = min(MOST_LABELS, max(FEWEST_LABELS, LARGEST_KEPT // n_points))
    if len(labels.rows) <= n_most:
        return labels
    places = torch.randperm(n_points, generator=torch.Generator().manual_seed(0))
    drawn = labels.first(places[labels.rows].argsort(), n_most)
    return labels.take(drawn.sort().values)


def hold_out_others(
    part: RidgePart, points: FittedPoints, labels: Targets, few: Targets
) -> RidgePart:
    """Return a part with scores of all labels, of which it has not seen the others.

    Args:
        part: that has learned from some labels.
        points: all of them.
        labels: all.
        few: those it has learned from.
    """
    if few is labels:
        return part
    is_seen = torch.isin(labels.rows, few.rows)
    held_out = part.held_out.new_empty(len(labels.rows), part.held_out.shape[1])
    held_out[is_seen] = part.held_out
    others = part.score(points.some_places(labels.rows[~is_seen]))
    held_out[~is_seen] = others.to(held_out)
    return replace(part, held_out=held_out)
