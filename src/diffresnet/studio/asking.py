"""What to ask next, and why."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from diffresnet._support.words import count, shortened
from diffresnet.estimators import DiffResNetClassifier
from diffresnet.studio.classes import NONE_NAME
from diffresnet.studio.history import NOT_ANSWERED, State
from diffresnet.studio.predictions import NONE_LABEL, Predictions

MOST_ASKED = 100
SMALL_MARGIN = 0.3
"""Two classes whose probabilities are nearer than this compete for a point."""


@dataclass(frozen=True)
class Question:
    """A point to label.

    Attributes:
        row: of the point.
        reason: why, in words.
        proposed: the class that is likely; None if nothing is known.
        probability: of this class; 0 if nothing is known.
    """

    row: int
    reason: str
    proposed: int | None
    probability: float


def ask(
    model: DiffResNetClassifier, state: State, predictions: Predictions, n: int
) -> list[Question]:
    """Return the points to label next, the most useful first; none that has an answer.

    Args:
        model: prepared, with the labels there are.
        state: the answers; what was skipped is not asked for again.
        predictions: of the model.
        n: how many.
    """
    is_free = state.answers == NOT_ANSWERED
    n_skipped = int((~is_free).sum() - (model.encoded_labels_ >= 0).sum())
    n_free = int(is_free.sum())
    if n_free == 0:
        return []
    rows = model.suggest(min(n + n_skipped, len(is_free)))
    rows = rows[is_free[rows]][:n]
    return [_question(int(row), model, state, predictions) for row in rows]


def _question(
    row: int, model: DiffResNetClassifier, state: State, predictions: Predictions
) -> Question:
    if len(model.classes_) == 0:
        return Question(row, "typical of many points like it", None, 0.0)
    if not model.reached_[row]:
        components = model.solution_.points.components[model.copies_.point]
        n_alike = int((components == components[row]).sum())
        reason = f"no label reaches it, nor the {count(n_alike - 1, 'point')} it is linked with"
        return Question(row, reason if n_alike > 1 else "no label reaches it", None, 0.0)
    proposed, probability = int(predictions.classes[row]), float(predictions.probabilities[row])
    reason = "unlike any labeled point, and like many others"
    if len(model.classes_) > 1:
        first, second = np.argsort(-model.label_distributions_[row], kind="stable")[:2]
        margin = float(np.subtract(*model.label_distributions_[row][[first, second]]))
        if margin < SMALL_MARGIN:
            names = [_name(state, model.classes_[one]) for one in (first, second)]
            reason = f"between {names[0]} and {names[1]}"
    return Question(row, reason, proposed if proposed >= 0 else None, probability)


def _name(state: State, label: Any) -> str:
    name = NONE_NAME if int(label) == NONE_LABEL else state.classes[int(label)].name
    return shortened(name)
