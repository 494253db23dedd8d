"""Labels that were held out: what the others say of them."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import softmax

Floats = npt.NDArray[Any]


@dataclass(frozen=True)
class HeldOut:
    """Labels that were held out.

    Attributes:
        rows: (n,) which points.
        classes: (n,) their classes, as numbers.
        probabilities: (n, K) of all classes, learned without the label.
    """

    rows: npt.NDArray[np.int64]
    classes: npt.NDArray[np.int64]
    probabilities: Floats

    @property
    def of_labels(self) -> Floats:
        """The probability that each label had, (n,)."""
        return self.probabilities[np.arange(len(self.rows)), self.classes]

    def weights(self, proportions: Floats) -> Floats:
        """Return weights (n,) of the labels, so that classes are as common as (K,) `proportions`.

        Examples:
            >>> held_out = HeldOut(np.arange(3), np.array([0, 0, 1]), np.full((3, 2), 0.5))
            >>> held_out.weights(np.array([0.5, 0.5]))
            array([0.25, 0.25, 0.5 ])
        """
        counts = np.bincount(self.classes, minlength=len(proportions))
        return (proportions / np.maximum(counts, 1))[self.classes]

    def shifted(self, bias: Floats) -> "HeldOut":
        """Return the same with more added to the logarithms of the probabilities.

        Args:
            bias: what is added, (K,) or (n, K).
        """
        logs = np.log(np.maximum(self.probabilities, np.finfo(np.float64).tiny))
        return replace(self, probabilities=softmax(logs + bias, axis=1))
