"""Labels that the others do not confirm, and sets of classes that hold the right one often enough.

Both rest on held-out probabilities: those of each labeled point, learned without its label.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from diffresnet._support.checks import check_real, fail
from diffresnet.estimators.held_out import Floats, HeldOut


@dataclass(frozen=True)
class Audit:
    """Labels to look at again, the most suspicious first.

    Attributes:
        rows: (n,) which points.
        labels: (n,) as they were given.
        expected: (n,) what the other labels speak for.
        probabilities: (n,) of the label as given.
        contradictions: rows that are equal but have different labels.
    """

    rows: npt.NDArray[np.int64]
    labels: npt.NDArray[Any]
    expected: npt.NDArray[Any]
    probabilities: Floats
    contradictions: tuple[tuple[int, ...], ...]

    def __len__(self) -> int:
        return len(self.rows)


def audit_labels(
    held_out: HeldOut, classes: npt.NDArray[Any], contradictions: tuple[tuple[int, ...], ...]
) -> Audit:
    """Return the labels that have not the largest held-out probability, the least likely first."""
    expected = held_out.probabilities.argmax(axis=1)
    doubtful = np.flatnonzero(expected != held_out.classes)
    order = doubtful[np.argsort(held_out.of_labels[doubtful], kind="stable")]
    return Audit(
        held_out.rows[order],
        classes[held_out.classes[order]],
        classes[expected[order]],
        held_out.of_labels[order],
        contradictions,
    )


def check_coverage(
    function: str, coverage: float, n_held_out: int, *, what: str, remedy: str, fewest: int = 0
) -> None:
    """Raise if there are too few held-out labels, or values, to say what holds that often.

    Args:
        function: which is asked, for messages.
        coverage: how often; c of it needs c / (1 - c) of them.
        n_held_out: how many there are.
        what: they are.
        remedy: what to do, after the number that is needed.
        fewest: that it takes in any case.
    """
    check_real(function, "coverage", coverage)
    if coverage >= 1:
        fail(function, "coverage", "below 1", coverage, "Take 0.9, for instance.")
    needed = max(fewest, math.ceil(coverage / (1 - coverage) - 1e-9))
    if n_held_out < needed:
        must = f"low enough for {n_held_out} {what} that can be held out"
        fail(function, "coverage", must, coverage, f"It takes {needed} of them, {remedy}")


def conformal_sets(
    probabilities: Floats, held_out: HeldOut, proportions: Floats, coverage: float
) -> npt.NDArray[np.bool_]:
    """Return which classes may be right, (n, K), so that the right one is among them often enough.

    A class is in the set of a point if its probability is at least what all but a part of
    1 - coverage of the held-out labels had (split conformal prediction with leave-one-out scores).
    Labels are weighed so that their classes are as common as among all points.

    Args:
        probabilities: (n, K) of the points.
        held_out: labels that were held out.
        proportions: (K,) how common the classes are among all points.
        coverage: how often the right class is to be in the set, below 1.

    Raises:
        ValueError: if there are too few held-out labels for that.
    """
    check_coverage(
        "DiffResNetClassifier.predict_set",
        coverage,
        len(held_out.rows),
        what="labels",
        remedy="two or more per class. Label more points.",
    )
    weights = held_out.weights(proportions)
    order = np.argsort(held_out.of_labels)
    # One more label, the point's own, could be anything: it counts as the least likely.
    masses = np.cumsum(weights[order]) + weights.mean()
    allowed = (1 - coverage) * (weights.sum() + weights.mean())
    n_below = int(np.searchsorted(masses, allowed + 1e-12, side="right"))
    kept = probabilities >= held_out.of_labels[order][min(n_below, len(order) - 1)]
    kept[np.arange(len(kept)), probabilities.argmax(axis=1)] = True
    return kept
