"""What the classifier makes of the answers: a class and a certainty for every point."""

import warnings
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from diffresnet.estimators import DiffResNetClassifier, UnreachedWarning
from diffresnet.learning.labels import UNLABELED
from diffresnet.studio.history import NONE_OF_THESE, NOT_ANSWERED, Answers

NONE_LABEL = 65535
"""The label that points of none of the classes have for the classifier: it spreads as others do."""

LARGEST_BYTE_ID = 254
"""Classes up to this number fit into a byte beside the one for none."""


def to_labels(answers: Answers) -> npt.NDArray[np.int64]:
    """Return answers as the classifier takes them: class numbers, -1 for none.

    Examples:
        >>> to_labels(np.array([3, NONE_OF_THESE, -1, -3], dtype=np.int32)).tolist()
        [3, 65535, -1, -1]
    """
    labels = np.where(answers >= 0, answers, UNLABELED).astype(np.int64)
    labels[answers == NONE_OF_THESE] = NONE_LABEL
    return labels


def labels_of(model: DiffResNetClassifier, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the labels that a model has learned of some points, -1 for none."""
    encoded = model.encoded_labels_[rows]
    labels = np.full(len(rows), UNLABELED, dtype=np.int64)
    labels[encoded != UNLABELED] = model.classes_[encoded[encoded != UNLABELED]]
    return labels


def learn(
    model: DiffResNetClassifier, rows: npt.NDArray[np.int64], labels: Any, *, exact: bool = False
) -> DiffResNetClassifier:
    """Return a model with some labels changed; the old one stays as it is.

    Points that no label reaches are shown, and need no warning.
    """
    changed = copy(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreachedWarning)
        return changed.update_labels(rows, labels, exact=exact)


@dataclass(frozen=True)
class Predictions:
    """What is predicted.

    Attributes:
        classes: (N,) class numbers, -2 for none of these, -1 where no label reaches.
        probabilities: (N,) of these; 0 where no label reaches. While there is one class only, in
            place of its probability, which is 1, how like the labeled points a point is, as a rank.
    """

    classes: Answers
    probabilities: npt.NDArray[np.float32]

    @classmethod
    def of(cls, model: DiffResNetClassifier) -> "Predictions":
        """Return what a model predicts."""
        if len(model.classes_) == 0:
            none = np.full(len(model.encoded_labels_), NOT_ANSWERED, dtype=np.int32)
            return cls(none, np.zeros(len(none), dtype=np.float32))
        found = cls.from_probabilities(model.classes_, model.label_distributions_, model.reached_)
        if len(model.classes_) > 1:
            return found
        alike = 1 - model.novelty_
        alike[model.encoded_labels_ != UNLABELED] = 1
        return cls(found.classes, np.where(model.reached_, alike, 0).astype(np.float32))

    @classmethod
    def from_probabilities(cls, labels: Any, probabilities: Any, reached: Any) -> "Predictions":
        """Return the most likely of (K,) labels for each point.

        Args:
            labels: as the classifier knows them.
            probabilities: (n, K) of these.
            reached: (n,) whether a label reaches a point.
        """
        numbers = np.asarray(labels).astype(np.int32)
        numbers[numbers == NONE_LABEL] = NONE_OF_THESE
        best = probabilities.argmax(axis=1)
        sure = np.take_along_axis(probabilities, best[:, None], axis=1)[:, 0]
        classes = np.where(reached, numbers[best], NOT_ANSWERED).astype(np.int32)
        return cls(classes, np.where(reached, sure, 0).astype(np.float32))

    @cached_property
    def certainty(self) -> npt.NDArray[np.uint8]:
        """A byte a point: 0 where no label reaches, else 1 + 254 times the probability."""
        found = 1 + np.rint(254 * self.probabilities)
        return np.where(self.classes == NOT_ANSWERED, 0, found).astype(np.uint8)

    def as_bytes(self, largest_id: int) -> npt.NDArray[Any]:
        """Return the classes as one byte each, or two if a class number is too large for one."""
        is_small = largest_id <= LARGEST_BYTE_ID
        kind, none = (np.uint8, 255) if is_small else (np.uint16, 65535)
        return np.where(self.classes < 0, none, self.classes).astype(kind)
