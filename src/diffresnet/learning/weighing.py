"""How much each part counts: a small problem on labels that were held out, convex but for noise.

Scores are weighted sums of the parts' scores, plus a bias for each class. The weights have the
largest likelihood of the held-out labels, times a normal density around those expected beforehand.
Labels may be wrong: with a noise of e, a label is the class of its point but for one case in 1 / e,
when it is any class. The noise is the one of a few with the largest likelihood, times an
exponential density.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from scipy.optimize import minimize
from scipy.special import log_softmax
from torch import Tensor

from diffresnet.learning.calibration import held_out_losses

SCALES = tuple(2.0 ** (step / 2) for step in range(-8, 17))
"""What the scores of a part may be multiplied by before it is weighed."""

SCALE_DOUBT = 1.0
"""How far, as a logarithm, a scale may be from the usual one."""

NOISES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4)
USUAL_NOISE = 0.05
"""The mean of the noise beforehand."""

BIAS_DOUBT = 0.5
"""How far a bias may be from what it is beforehand."""


@dataclass(frozen=True)
class Weighed:
    """What was found.

    Attributes:
        solution: (P + K,) weights of the scaled scores, then biases of the classes.
        scales: what the scores of each part were multiplied by.
        noise: the part of labels that may be any class.
    """

    solution: npt.NDArray[np.float64]
    scales: tuple[float, ...]
    noise: float

    @property
    def weights(self) -> tuple[float, ...]:
        """Of the parts' scores as they are, not negative."""
        return tuple(float(w * s) for w, s in zip(self.solution, self.scales, strict=False))

    @property
    def biases(self) -> Tensor:
        """Of the classes, (K,)."""
        return torch.from_numpy(self.solution[len(self.scales) :])


def weigh(
    held_out: list[Tensor],
    classes: Tensor,
    *,
    expected: tuple[float, ...],
    usual_scales: tuple[float | None, ...],
    biases: Tensor,
    doubt: float,
    earlier: Weighed | None = None,
) -> Weighed:
    """Return the weights of the parts that fit held-out labels.

    Args:
        held_out: (n, K) scores of the labels, of each part.
        classes: (n,) of these.
        expected: the weight of each part beforehand.
        usual_scales: what the scores of each part are usually multiplied by, to be logarithms of
            probabilities; labels may change it. None if they are such logarithms.
        biases: (K,) of the classes beforehand.
        doubt: the deviation of a weight from what is expected.
        earlier: what was found for nearly the same labels, whose scales and noise stay, and where
            the search begins; None to choose.
    """
    if earlier is None:
        pairs = zip(held_out, usual_scales, strict=True)
        scales = tuple(
            1.0 if usual is None else _scale(one, classes, usual) for one, usual in pairs
        )
    else:
        scales = earlier.scales
    scaled = torch.stack([s * one for s, one in zip(scales, held_out, strict=True)]).numpy()
    usual = np.concatenate([expected, biases.numpy()])
    doubts = np.r_[[doubt] * len(expected), [BIAS_DOUBT] * len(biases)]
    best, found, noise = np.inf, usual, 0.0
    solution = usual if earlier is None else earlier.solution
    for tried in NOISES if earlier is None else (earlier.noise,):
        value, solution = _fit(scaled, classes.numpy(), tried, (usual, doubts), solution)
        if value + tried / USUAL_NOISE < best:
            best, found, noise = value + tried / USUAL_NOISE, solution, tried
    return Weighed(found, scales, noise)


def _scale(scores: Tensor, classes: Tensor, usual: float) -> float:
    """Return what scores are to be multiplied by: what fits the labels, and is not too unusual."""
    losses = len(classes) * held_out_losses(scores, classes, SCALES).numpy()
    off = np.log(np.array(SCALES) / usual) / SCALE_DOUBT
    return SCALES[int((losses + off**2 / 2).argmin())]


def _fit(
    scaled: npt.NDArray[Any],
    classes: npt.NDArray[np.int64],
    noise: float,
    beforehand: tuple[npt.NDArray[Any], npt.NDArray[Any]],
    start: npt.NDArray[Any],
) -> tuple[float, npt.NDArray[Any]]:
    """Return the least loss for one noise, and the weights and biases that have it.

    Beforehand they have a mean and deviations; the search begins at `start`.
    """
    usual, doubts = beforehand
    n_parts, n_labels, n_classes = scaled.shape
    places = (np.arange(n_labels), classes)

    def loss(found: Any) -> tuple[float, Any]:
        logs = log_softmax(np.tensordot(found[:n_parts], scaled, 1) + found[n_parts:], axis=1)
        right = (1 - noise) * np.exp(logs[places])
        seen = right + noise / n_classes
        wrong = np.exp(logs)
        wrong[places] -= 1
        wrong *= (right / np.maximum(seen, 1e-300))[:, None]
        off = (found - usual) / doubts
        slopes = np.concatenate([np.einsum("nk,pnk->p", wrong, scaled), wrong.sum(axis=0)])
        likely = logs[places] if noise == 0 else np.log(seen)
        return -likely.sum() + off @ off / 2, slopes + off / doubts

    bounds = [(0, None)] * n_parts + [(None, None)] * n_classes
    solved: Any = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return float(solved.fun), solved.x
