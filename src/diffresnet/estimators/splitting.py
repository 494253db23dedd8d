"""Cross-validation in which points without a label stay in the training folds."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedKFold

from diffresnet._support.checks import check_count, fail
from diffresnet.estimators.input import check_several
from diffresnet.learning.labels import UNLABELED, encode_labels


class LabeledKFold:
    """Split the labeled points into folds; all points without a label are in every training set.

    For `cross_val_score` and `GridSearchCV`. The folds keep the proportions of the classes.

    Args:
        n_splits: how many folds, at most the labels of the smallest class.
        random_state: seed of the shuffling.

    Examples:
        >>> X, y = np.zeros((6, 1)), [0, 0, 1, 1, -1, -1]
        >>> for train, test in LabeledKFold(n_splits=2).split(X, y):
        ...     print(len(train), [int(y[one]) for one in test])
        4 [0, 1]
        4 [0, 1]
    """

    def __init__(self, n_splits: int = 5, *, random_state: int | None = 0) -> None:
        self.n_splits = check_count("LabeledKFold", "n_splits", n_splits, low=2)
        self.random_state = random_state

    def split(
        self,
        X: Any,  # noqa: ARG002, N803
        y: Any = None,
        groups: Any = None,  # noqa: ARG002
    ) -> Iterator[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]]:
        """Yield the training and the test points of each fold, as row numbers."""
        encoded, classes = encode_labels("LabeledKFold", "y", y)
        check_several("LabeledKFold", "y", classes)
        labeled_rows = np.flatnonzero(encoded != UNLABELED)
        fewest = int(np.bincount(encoded[labeled_rows]).min())
        if fewest < self.n_splits:
            must = f"at most the number of labels of the smallest class ({fewest})"
            remedy = "Lower `n_splits`, or label more points."
            fail("LabeledKFold", "n_splits", must, self.n_splits, remedy)
        folds = StratifiedKFold(self.n_splits, shuffle=True, random_state=self.random_state)
        for _, test in folds.split(labeled_rows, encoded[labeled_rows]):
            train = np.setdiff1d(np.arange(len(encoded)), labeled_rows[test])
            yield train, labeled_rows[test]

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002, N803
        """Return the number of folds."""
        return self.n_splits
