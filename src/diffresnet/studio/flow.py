"""Labels as they flow over the graph, for any strength of diffusion: to be looked at."""

from dataclasses import dataclass

import numpy as np
import torch

from diffresnet._support.checks import refuse
from diffresnet._support.threads import limited_threads
from diffresnet.estimators import DiffResNetClassifier
from diffresnet.learning.labels import UNLABELED, Labels
from diffresnet.studio.history import NONE_OF_THESE, NOT_ANSWERED
from diffresnet.studio.predictions import NONE_LABEL, Predictions

LARGEST_EXACT = 100_000
"""Of more points, only the slow modes of the graph are looked at."""

LEAST_PART = 0.01
"""A point is reached if it has this part of what all points have on average."""

TIMES_OF_FIT = 4
"""The slider goes to this many times the strength of the fit."""


@dataclass(frozen=True)
class Range:
    """Strengths that a slider offers: `value` is that of the fit."""

    value: float
    least: float
    most: float


def strengths_of(model: DiffResNetClassifier) -> Range | None:
    """Return the strengths to look at; None without a label."""
    if len(model.classes_) == 0:
        return None
    step = model.solution_.strength.step_size
    return Range(model.strength_, step, max(TIMES_OF_FIT * model.strength_, 2 * step))


def flow(model: DiffResNetClassifier, value: float) -> Predictions:
    """Return where labels get to by diffusion of this strength alone.

    A point has the class of which most has reached it; the probability is the part of it. Nothing
    is learned here: the classifier's own answers rest on more.

    Args:
        model: prepared, with a label.
        value: the strength, one of `strengths_of`.
    """
    offered = strengths_of(model)
    if offered is None or not offered.least <= value <= offered.most:
        must = "one of a studio with labels"
        if offered is not None:
            must = f"between {offered.least:g} and {offered.most:g}"
        refuse("`value`", must, f"{value:g}", "Move the slider.")
    points, copies = model.solution_.points, model.copies_
    merged = copies.vote(model.encoded_labels_, len(model.classes_))
    labels = Labels.of(merged, len(model.classes_))
    step = model.solution_.strength.step_size
    n_steps = max(1, round(value / step))
    start = torch.zeros(points.operator.n_points, labels.n_classes)
    start[labels.rows, labels.classes] = 1
    with limited_threads(model.n_jobs):
        if points.operator.n_points <= LARGEST_EXACT:
            kind = points.operator.weights.dtype
            found = points.operator.diffuse(start.to(kind), step, n_steps)
        else:
            modes = points.spectrum.modes.float()
            decay = points.spectrum.decay(step, n_steps).float()
            found = modes @ (decay[:, None] * (modes[labels.rows].mT @ start[labels.rows]))
    carried = found.clamp(min=0).double().numpy()[copies.point]
    total = carried.sum(axis=1)
    reached = total >= LEAST_PART * len(labels.rows) / points.operator.n_points
    best = carried.argmax(axis=1)
    numbers = model.classes_.astype(np.int32)
    numbers[numbers == NONE_LABEL] = NONE_OF_THESE
    classes = np.where(reached, numbers[best], NOT_ANSWERED).astype(np.int32)
    part = carried.max(axis=1) / np.maximum(total, 1e-300)
    is_labeled = model.encoded_labels_ != UNLABELED
    classes[is_labeled] = numbers[model.encoded_labels_[is_labeled]]
    part[is_labeled] = 1
    return Predictions(classes, np.where(classes == NOT_ANSWERED, 0, part).astype(np.float32))
