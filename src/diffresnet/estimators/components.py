"""Components of the graph: labels spread within one only."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import one_hot

from diffresnet._support.words import count
from diffresnet.estimators.held_out import HeldOut
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
    remedy: str = "Label one of each (see `suggest`), raise `n_top`, or add links."


OF_CLASSIFIER = Wording()

PENALTY = 5.0
"""What the score of a class loses in a component that has labels, but none of it; less if labels
that are held out deny it."""

N_PENALTIES = 11
"""From none to all of it."""


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
    if len(np.unique(components[labels.rows.numpy()])) < 2:
        return None
    scores = _penalize(_count_labels(components, labels), penalty)
    return scores[torch.from_numpy(components).long()]


def score_held_out(
    components: npt.NDArray[Any], labels: Labels, penalty: float = PENALTY
) -> npt.NDArray[Any]:
    """Return what would be added to the score of each label, (n, K), without the label itself.

    Args:
        components: (N,) the component of each point.
        labels: the labeled points.
        penalty: see `PENALTY`.

    Examples:
        >>> labels = Labels(torch.tensor([0, 1, 2]), torch.tensor([0, 1, 1]), 2)
        >>> score_held_out(np.array([0, 0, 1, 1, 2]), labels)
        array([[-5.,  0.],
               [ 0., -5.],
               [ 0.,  0.]], dtype=float32)
    """
    own = torch.from_numpy(components[labels.rows.numpy()]).long()
    others = _count_labels(components, labels)[own] - one_hot(labels.classes, labels.n_classes)
    return _penalize(others, penalty).numpy()


def fit_penalty(held_out: HeldOut, added: npt.NDArray[Any]) -> float:
    """Return the part of the penalty, from 0 to 1, that makes held-out labels most likely.

    Args:
        held_out: labels that were held out, without what components add to their scores.
        added: (n, K) what they would add with all of the penalty.
    """
    parts = np.linspace(1, 0, N_PENALTIES)
    return float(max(parts, key=lambda part: _log_likelihood(held_out.shifted(part * added))))


def _log_likelihood(held_out: HeldOut) -> float:
    return float(np.log(np.maximum(held_out.of_labels, np.finfo(np.float64).tiny)).sum())


def _count_labels(components: npt.NDArray[Any], labels: Labels) -> Tensor:
    """Count the labels of each class in each component, (C, K)."""
    counts = torch.zeros(int(components.max()) + 1, labels.n_classes, dtype=torch.int64)
    own = torch.from_numpy(components[labels.rows.numpy()]).long()
    ones = torch.ones_like(labels.classes)
    return counts.index_put((own, labels.classes), ones, accumulate=True)


def _penalize(counts: Tensor, penalty: float) -> Tensor:
    lost = (counts > 0).any(dim=1, keepdim=True) & (counts == 0)
    return torch.where(lost, -penalty, 0.0)


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
