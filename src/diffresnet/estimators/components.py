"""Components of the graph: labels spread within one only."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from diffresnet._support.words import count
from diffresnet.learning.labels import Labels


class UnreachedWarning(UserWarning):
    """Some points are not connected to any label."""


@dataclass(frozen=True)
class Wording:
    """What an estimator says about points that are not connected to any label.

    Attributes:
        name: of the estimator.
        known: what others are connected to.
        instead: what these get.
        remedy: what to do.
    """

    name: str = "DiffResNetClassifier"
    known: str = "label"
    instead: str = "the class prior"
    remedy: str = "Label one of each (see `suggest`), or raise `n_top`."


OF_CLASSIFIER = Wording()

PENALTY = 5.0
"""What the score of a class loses in a component that has labels, but none of it."""


def score_components(
    components: npt.NDArray[Any], labels: Labels, penalty: float = PENALTY
) -> Tensor | None:
    """Return what is added to the scores of the points, (N, K), or None if nothing is.

    Where a component has labels, they are likely to be those of its points; where it has none,
    nothing is known.

    Args:
        components: (N,) the component of each point.
        labels: the labeled points.
        penalty: see `PENALTY`.

    Examples:
        >>> labels = Labels(torch.tensor([0, 2]), torch.tensor([0, 1]), 2)
        >>> score_components(np.array([0, 0, 1, 1, 2]), labels)
        tensor([[ 0., -5.],
                [ 0., -5.],
                [-5.,  0.],
                [-5.,  0.],
                [ 0.,  0.]])
    """
    own = components[labels.rows.numpy()]
    if len(np.unique(own)) < 2:
        return None
    present = torch.zeros(int(components.max()) + 1, labels.n_classes, dtype=torch.bool)
    present[torch.from_numpy(own).long(), labels.classes] = True
    lost = present.any(dim=1, keepdim=True) & ~present
    scores = torch.where(lost, -penalty, 0.0)
    return scores[torch.from_numpy(components).long()]


def warn_of_unreached(
    reached: npt.NDArray[np.bool_],
    components: npt.NDArray[Any],
    wording: Wording = OF_CLASSIFIER,
) -> None:
    """Warn if points are not connected to any label, as if the caller's caller did it."""
    if reached.all():
        return
    n_components = len(np.unique(components[~reached]))
    warnings.warn(
        f"{wording.name}: {count(int((~reached).sum()), 'point')} in "
        f"{count(n_components, 'component')} of the graph are not connected to any {wording.known} "
        f"and get {wording.instead}. {wording.remedy}",
        UnreachedWarning,
        stacklevel=3,
    )
