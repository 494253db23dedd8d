"""What a studio knows at one time, and what a gesture has done."""

from dataclasses import dataclass, field

import numpy as np

from diffresnet.estimators import DiffResNetClassifier
from diffresnet.studio.history import Rows, State
from diffresnet.studio.predictions import Predictions
from diffresnet.studio.progress import Outlook


def no_rows() -> Rows:
    """Return none."""
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Snapshot:
    """All that a gesture changes.

    Attributes:
        version: how often something was done.
        state: the answers and classes.
        model: that has learned from them, but for the pending ones.
        predictions: of the model; with pending answers, a first look at what follows from all.
        outlook: what is known about the accuracy.
        undo: what undo would take back, in words.
        redo: what redo would do again, in words.
        pending: (n,) rows whose labels the model has not learned from yet.
    """

    version: int
    state: State
    model: DiffResNetClassifier
    predictions: Predictions
    outlook: Outlook = field(default_factory=Outlook)
    undo: str | None = None
    redo: str | None = None
    pending: Rows = field(default_factory=no_rows)

    @property
    def is_learned(self) -> bool:
        """Whether the model has learned from all answers."""
        return len(self.pending) == 0


@dataclass(frozen=True)
class Done:
    """What a gesture has done.

    Attributes:
        said: in words.
        before: the snapshot before it.
        after: the snapshot after it.
    """

    said: str
    before: Snapshot
    after: Snapshot
