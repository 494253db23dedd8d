"""Honest probabilities: a temperature, a bias for each class, and the proportions of the classes.

Labels are mostly drawn evenly from the classes; all points together seldom are even. What learned
from even classes then gives the rare ones too much. Two steps mend it: scores are calibrated on
labels that were held out, by a temperature and a bias for each class (Alexandari and others,
*Maximum Likelihood with Bias-Corrected Calibration is Hard-To-Beat at Label Shift Adaptation*), and
the class proportions that explain the predictions of the other points best are found by expectation
maximization (Saerens and others, *Adjusting the Outputs of a Classifier to New a Priori
Probabilities*).
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from scipy.optimize import minimize
from scipy.special import log_softmax
from torch import Tensor

from diffresnet._support.checks import fail

PRIOR_ROUNDS = 100
PROPORTION_ROUNDS = 200
SETTLED = 1e-6
"""Proportions that move by less in a round stay as they are."""

BIAS_RIDGE = 5.0
"""What keeps biases small where held-out labels are few: it counts beside the sum of losses."""

TEMPERATURE_RIDGE = 1e-3
"""What keeps the temperature finite, where all held-out labels are right."""


def held_out_losses(scores: Tensor, classes: Tensor, scales: tuple[float, ...]) -> Tensor:
    """Return the mean cross entropy of held-out labels with scores times each scale.

    Args:
        scores: (..., n, K) of the points that have a held-out label.
        classes: (n,) these labels.
        scales: S numbers.

    Returns:
        (S, ...).
    """
    places = classes.unsqueeze(-1).expand(*scores.shape[:-1], 1)
    losses = [
        -(scale * scores).log_softmax(dim=-1).gather(-1, places).mean(dim=(-2, -1))
        for scale in scales
    ]
    return torch.stack(losses)


def match_prior(scores: Tensor, prior: Tensor) -> Tensor:
    """Return what to add to the scores of each class, (K,), so that its mean probability fits.

    Args:
        scores: (N, K) logarithms of probabilities, but for a constant a row.
        prior: (K,) positive proportions that sum to 1.
    """
    bias = torch.zeros_like(prior)
    scores = scores.to(prior)
    for _ in range(PRIOR_ROUNDS):
        means = (scores + bias).softmax(dim=1).mean(dim=0)
        bias = bias + (prior / means.clamp(min=1e-12)).log()
    return bias


def adapt_proportions(
    scores: Tensor, held_out: npt.NDArray[np.int64], classes: npt.NDArray[np.int64], unlabeled: Any
) -> Tensor:
    """Return log-probabilities (N, K) for classes as common as the unlabeled points say.

    Args:
        scores: (N, K) logits of all points, or logarithms of probabilities, of any temperature.
        held_out: (V,) rows of points that the scores were not learned from.
        classes: (V,) their classes, 0 to K - 1.
        unlabeled: which points say how common the classes are, as rows or as (N,) booleans.

    Raises:
        ValueError: if a class has no held-out label, no point is unlabeled, or a score is not
            finite.

    Examples:
        Of eight unlabeled points six are of the first class, so that the two that are in doubt
        probably are, too.

        >>> scores = torch.tensor([[3.0, 0.0], [0.0, 3.0]] + [[3.0, 0.0]] * 6 + [[0.9, 1.0]] * 2)
        >>> found = adapt_proportions(scores, np.array([0, 1]), np.array([0, 1]), np.arange(2, 10))
        >>> found.argmax(dim=1).tolist()
        [0, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    """
    function = "adapt_proportions"
    if scores.ndim != 2 or not bool(torch.isfinite(scores).all()):
        got = f"shape {tuple(scores.shape)}" if scores.ndim != 2 else "NaN or infinity in some"
        fail(function, "scores", "finite, of shape (N, K)", got, "Pass logits.")
    check_every_class(classes, scores.shape[1])
    logs = calibrate(scores.detach().double(), held_out, classes)
    before = logs[held_out].exp().mean(dim=0)
    others = logs[unlabeled]
    if len(others) == 0:
        fail(function, "unlabeled", "some points", "none", "There is nothing to adapt to.")
    shift = (estimate_proportions(others, before) / before).log()
    found = (logs + shift).log_softmax(dim=1)
    return found.to(scores.dtype if scores.is_floating_point() else torch.float32)


def estimate_proportions(logs: Tensor, before: Tensor) -> Tensor:
    """Return the class proportions (K,) that explain predictions best, by expectation maximization.

    Args:
        logs: (n, K) log-probabilities of points, learned where classes were as common as `before`.
        before: (K,) these proportions.
    """
    found, probabilities = before, (logs - logs.amax(dim=1, keepdim=True)).exp()
    n_points, n_classes = probabilities.shape
    for _ in range(PROPORTION_ROUNDS):
        shift = found / before
        sums = shift * ((1 / (probabilities @ shift)) @ probabilities)
        before_round, found = found, (sums + 1) / (n_points + n_classes)  # none is impossible
        if float((found - before_round).abs().max()) < SETTLED:
            break
    return found


def check_every_class(classes: npt.NDArray[np.int64], n_classes: int) -> None:
    """Raise if a class has no held-out label: nothing says how it is to be calibrated."""
    if not np.array_equal(np.unique(classes), np.arange(n_classes)):
        got = f"{len(classes)} of {len(np.unique(classes))} classes"
        remedy = "Draw some of each class (`n_validation`, --validation-nodes), or do not adapt."
        fail("adapt_proportions", "held_out", f"labels of all {n_classes} classes", got, remedy)


def calibrate(
    scores: Tensor, held_out: npt.NDArray[np.int64], classes: npt.NDArray[np.int64]
) -> Tensor:
    """Return log-probabilities (N, K) with the temperature and biases that fit held-out labels."""
    spread = scores[held_out].std(correction=0)
    scores = scores / torch.where(spread > 0, spread, 1)
    seen = scores[held_out].cpu().numpy()
    n_seen, n_classes = seen.shape
    places, ridge = (np.arange(n_seen), classes), BIAS_RIDGE / n_seen

    def loss(parameters: Any) -> tuple[float, Any]:
        log_scale, biases = parameters[0], parameters[1:]
        scale = np.exp(log_scale)
        logs = log_softmax(scale * seen + biases, axis=1)
        wrong = np.exp(logs)
        wrong[places] -= 1
        wrong /= n_seen
        value = -logs[places].mean() + ridge * biases @ biases
        slope = scale * (wrong * seen).sum() + 2 * TEMPERATURE_RIDGE * log_scale
        slopes = wrong.sum(axis=0) + 2 * ridge * biases
        return value + TEMPERATURE_RIDGE * log_scale**2, np.concatenate([[slope], slopes])

    found: Any = minimize(loss, np.zeros(1 + n_classes), jac=True, method="L-BFGS-B").x
    biases = torch.from_numpy(found[1:]).to(scores)
    return (float(np.exp(found[0])) * scores + biases).log_softmax(dim=1)
