"""What a classifier found, as its report needs it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from diffresnet.report.class_marks import Mark
from diffresnet.report.layout import Floats, Rows

Preview: TypeAlias = str | bytes
"""What a point looks like: a text, or a small picture as JPEG."""


@dataclass(frozen=True)
class Outcome:
    """What a classifier found, as the report needs it.

    Attributes:
        ids: (N) names of the points.
        class_names: (K) names of the classes.
        marks: (K) color and shape of each class.
        probabilities: (N, K) probabilities.
        encoded: (N,) number of the class of a label, -1 without one.
        reached: (N,) whether a label reaches a point.
        previews: (N) what each point looks like; empty if that is not known.
    """

    ids: Sequence[str]
    class_names: Sequence[str]
    marks: Sequence[Mark]
    probabilities: Floats
    encoded: Rows
    reached: npt.NDArray[np.bool_]
    previews: Sequence[Preview] = ()

    @property
    def is_labeled(self) -> npt.NDArray[np.bool_]:
        """(N,) whether a point has a label."""
        return self.encoded >= 0

    @property
    def sureness(self) -> Floats:
        """Probability of the answer of each point that has no label and is reached."""
        return self.probabilities[~self.is_labeled & self.reached].max(axis=1)
