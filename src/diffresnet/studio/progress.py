"""How far one is: labels given, points reached, what accuracy to expect, and what is missing."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from diffresnet._support.words import count
from diffresnet.estimators import DiffResNetClassifier, LearningCurve
from diffresnet.estimators.learning_curve import LEAST_GAIN, WIDEST
from diffresnet.studio.history import NONE_OF_THESE, SKIPPED, State

FEWEST_LABELS = 2
"""A class with fewer labels lacks some: one alone cannot be held out."""

FEWEST_CLASSES = 2
"""With fewer there is no choice, and no accuracy to expect."""

LARGEST_MEASURED = 100_000
"""Of more points, no learning curve is measured unasked."""


@dataclass(frozen=True)
class Expectation:
    """The accuracy to expect of points without a label, with an interval of 95 %."""

    accuracy: float
    low: float
    high: float


@dataclass(frozen=True)
class CurvePoint:
    """The accuracy to expect with some number of labels."""

    n_labels: int
    accuracy: float
    low: float
    high: float


@dataclass(frozen=True)
class Outlook:
    """What takes a while to find out.

    Attributes:
        version: of the answers it belongs to.
        expected: accuracy; None while no label can be held out.
        curve: over numbers of labels.
        enough: whether more labels would hardly help; None if that is not known.
        sentences: what it says.
    """

    version: int = -1
    expected: Expectation | None = None
    curve: tuple[CurvePoint, ...] = ()
    enough: bool | None = None
    sentences: tuple[str, ...] = ()


def expect(model: DiffResNetClassifier) -> Expectation | None:
    """Return the accuracy to expect, as held-out labels say; None if none can be held out."""
    found = model.expect_accuracy()
    if found is None:
        return None
    return Expectation(found.value, *map(float, found.interval))


def look_ahead(model: DiffResNetClassifier, version: int) -> Outlook:
    """Measure how the accuracy grew with labels: this takes as long as twelve gestures."""
    expected = expect(model)
    if expected is None:
        return Outlook(version)
    curve = model.learning_curve()
    points = zip(curve.n_labels, curve.accuracy, curve.interval, strict=True)
    shown = tuple(CurvePoint(n, value, float(a), float(b)) for n, value, (a, b) in points)
    return Outlook(version, expected, shown, _is_enough(curve), curve.sentences)


def _is_enough(curve: LearningCurve) -> bool | None:
    low, high = curve.interval[-1]
    if high - low > WIDEST or len(curve.n_labels) < 2:
        return None
    return curve.expected_at_double - curve.accuracy[-1] < LEAST_GAIN


@dataclass(frozen=True)
class Progress:
    """What the panel of the page says; see `to_json`."""

    state: State
    reached: Any
    outlook: Outlook
    left_out: Sequence[str] = field(default_factory=list[str])

    def to_json(self) -> dict[str, Any]:
        """Return the numbers and sentences of the panel."""
        answers = self.state.answers
        numbers = list(self.state.classes)
        counts = np.bincount(answers[answers >= 0], minlength=max([*numbers, 0]) + 1)
        lacking = [number for number in numbers if counts[number] < FEWEST_LABELS]
        n_labels, n_reached = int((answers >= 0).sum()), int(np.count_nonzero(self.reached))
        expected = self.outlook.expected
        return {
            "n_labels": n_labels,
            "n_points": len(answers),
            "n_reached": n_reached,
            "n_none": int((answers == NONE_OF_THESE).sum()),
            "n_skipped": int((answers == SKIPPED).sum()),
            "expected": None if expected is None else asdict(expected),
            "needs": self._needs(counts) if expected is None else None,
            "curve": [asdict(one) for one in self.outlook.curve],
            "lacking": lacking,
            "enough": self.outlook.enough and not lacking,
            "sentences": list(self._sentences(n_labels, n_reached)),
        }

    def _needs(self, counts: Any) -> str:
        """Return what is missing before an accuracy can be expected, in words."""
        if (self.state.answers >= 0).all():
            return "every point has a label"
        n_none = int((self.state.answers == NONE_OF_THESE).sum())
        n_classes = np.count_nonzero(counts) + (n_none > 0)
        if n_classes < FEWEST_CLASSES:
            return "needs labels of two classes"
        is_single = max(counts.max(), n_none) < FEWEST_LABELS
        return f"needs {'a second label' if is_single else 'more labels'} of a class"

    def _sentences(self, n_labels: int, n_reached: int) -> list[str]:
        """Return what the numbers of the panel do not say themselves."""
        n_points, classes = len(self.state.answers), self.state.classes
        said: list[str] = []
        if n_labels == 0:
            said.append("There is no label yet. Label what the queue asks for, or what you see.")
        elif len(classes) == 1:
            said.append("There is one class only: add another, so that there is a choice.")
        if n_labels and n_reached < n_points:
            n_missed = n_points - n_reached
            said.append(f"No label reaches {count(n_missed, 'point')}: label one of each island.")
        ahead = () if self.outlook.enough else self.outlook.sentences[-1:]
        return [*said, *ahead, *self.left_out[:3]]
