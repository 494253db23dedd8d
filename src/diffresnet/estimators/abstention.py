"""Answers where they are right often enough, as held-out labels say; elsewhere none."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import beta

from diffresnet._support.checks import check_real, fail
from diffresnet.estimators.held_out import Floats, HeldOut
from diffresnet.learning.labels import UNLABELED

DOUBT = 0.2
"""How often the upper bound of an error rate may be below the true one."""

FUNCTION = "DiffResNetClassifier.predict_or_abstain"


def find_threshold(held_out: HeldOut, proportions: Floats, error_rate: float) -> float:
    """Return the least probability at which answers are wrong seldom enough; infinity if none is.

    It is the lowest one at which the held-out labels whose answers have as much or more are wrong
    so seldom that a binomial upper bound (Clopper and Pearson's) of the error rate is at most
    `error_rate`. Labels are weighed so that their classes are as common as among all points. The
    lowest of many thresholds that pass may pass by chance: the bound is no guarantee. The threshold
    lies midway to the next lower probability of a label, or to that of a guess.

    Args:
        held_out: labels that were held out.
        proportions: (K,) how common the classes are among all points.
        error_rate: above 0, below 1.

    Raises:
        ValueError: if there are so few labels that none of them could be wrong.
    """
    error_rate = check_real(FUNCTION, "error_rate", error_rate)
    if error_rate >= 1:
        fail(FUNCTION, "error_rate", "below 1", f"{error_rate:g}", "Take 0.05, for instance.")
    wanted = math.log(DOUBT) / math.log1p(-error_rate)  # infinite, if the rate is next to 0
    needed = math.ceil(min(wanted, 1e18) - 1e-9)
    if len(held_out.rows) < needed:
        must = f"high enough for {len(held_out.rows)} labels that can be held out"
        remedy = f"It takes {needed} of them, two or more per class. Label more points."
        fail(FUNCTION, "error_rate", must, f"{error_rate:g}", remedy)
    confidence = held_out.probabilities.max(axis=1)
    order = np.argsort(-confidence, kind="stable")
    confidence, weights = confidence[order], held_out.weights(proportions)[order]
    wrong = (held_out.probabilities.argmax(axis=1) != held_out.classes)[order]
    masses = np.cumsum(weights)
    n_cases = masses**2 / np.cumsum(weights**2)
    n_wrong = np.cumsum(weights * wrong) / masses * n_cases
    bounds = np.asarray(beta.ppf(1 - DOUBT, n_wrong + 1, np.maximum(n_cases - n_wrong, 1e-9)))
    lower = np.append(confidence[1:], 1 / held_out.probabilities.shape[1])
    is_last = np.append(lower[:-1] < confidence[:-1], True)  # of equal probabilities
    allowed = np.flatnonzero((bounds <= error_rate) & is_last)
    return float((confidence + lower)[allowed[-1]] / 2) if len(allowed) else math.inf


def abstain_elsewhere(
    answers: npt.NDArray[Any], is_answered: npt.NDArray[np.bool_], abstain: Any
) -> npt.NDArray[Any]:
    """Return the answers where there is one, elsewhere what stands for none.

    Args:
        answers: (n,) classes.
        is_answered: (n,) whether to answer.
        abstain: what stands for no answer. By default what stands for no label: -1 among numbers,
            "" among texts, None among others, whose array becomes one of objects.

    Examples:
        >>> abstain_elsewhere(np.array([3, 4]), np.array([True, False]), None)
        array([ 3, -1])
        >>> abstain_elsewhere(np.array(["cat", "dog"]), np.array([True, False]), "unsure")
        array(['cat', 'unsure'], dtype=object)
    """
    kind = answers.dtype.kind
    if abstain is None and kind in "if":
        return np.where(is_answered, answers, UNLABELED)
    if abstain is None and kind == "U":
        return np.where(is_answered, answers, "")
    found = answers.astype(object)
    found[~is_answered] = UNLABELED if abstain is None and kind == "u" else abstain
    return found
