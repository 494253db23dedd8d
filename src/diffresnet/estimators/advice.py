"""What a fitted classifier says about its graph, and about the labels it would like to have."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from diffresnet._support.checks import check_count
from diffresnet.estimators.copies import Copies
from diffresnet.estimators.diagnosis import Diagnosis, diagnose
from diffresnet.estimators.solution import Solution
from diffresnet.estimators.suggestion import suggest_points
from diffresnet.learning.labels import UNLABELED


class Advice:
    """Answers of a fitted classifier.

    Attributes:
        solution_: what was learned.
        copies_: which rows are equal.
        encoded_labels_: (N,) the class of every label as a number, -1 where there is none.
        classes_: the classes in order.
    """

    solution_: Solution
    copies_: Copies
    encoded_labels_: npt.NDArray[np.int64]
    classes_: npt.NDArray[Any]

    def suggest(self, n: int = 10) -> npt.NDArray[np.int64]:
        """Return which `n` points to label next, the most useful first.

        Points of components of the graph without any label, then those that are like the most
        points that no label is like. Before there is any label, see `suggest_first`.
        """
        check_is_fitted(self, "solution_")
        n = check_count("DiffResNetClassifier.suggest", "n", n, low=1)
        merged = self.copies_.merge(self.encoded_labels_, len(self.classes_))
        labeled = merged != UNLABELED
        chosen = suggest_points(n, self.solution_, labeled, labeled.sum() / len(self.classes_))
        return self.copies_.first[chosen]

    def diagnose(self) -> Diagnosis:
        """Tell how healthy the graph is, in numbers and sentences."""
        check_is_fitted(self, "solution_")
        return diagnose(self.solution_, self.copies_, self.encoded_labels_, self.classes_)
