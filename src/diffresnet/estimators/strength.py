"""How far to diffuse: what suits the graph, or tells left out labels clearly better."""

import math
from dataclasses import dataclass

from torch import Tensor

from diffresnet.estimators.spectrum import Spectrum
from diffresnet.estimators.stability import sharper
from diffresnet.estimators.views import View
from diffresnet.learning.labels import Labels
from diffresnet.learning.prototypes import score_without_own

GRAPH_SHARPNESS = 10.0
LEFT_OF_MODE = 0.35
"""How much of a mode the default strength leaves; which modes, `default_steps` says."""

MODES_A_CLASS = 3
FEWER_WITH_LABELS = 0.25
STILL = 1e-5
"""Modes that decay no faster are those of parts of the graph that are not connected."""

CLEAR_GAP = 2.0
"""How much faster than the one before must the first mode beyond the classes decay to say that the
graph has as many clusters as there are classes."""

LEAST_STRENGTH = 4.0
MOST_STRENGTH = 5_000.0
FACTORS_TRIED = (0.25, 0.5, 1, 2, 4, 8)
"""Strengths that are tried on the labels, as multiples of the default."""

CLEARLY = 3.0
"""Standard errors of the gain in log-likelihood that another strength must have."""

BIAS = 10.0
"""And so much more, over the square of the number of labels of the class, for each label: the mean
of few labels gains by strong diffusion what the refined prototypes have without it."""

SHARPNESSES = (2.5, 5.0, 10.0, 20.0, 40.0)
"""Strong diffusion draws points together, and needs more of it."""


@dataclass(frozen=True)
class StrengthChoice:
    """The number of steps, and how every number on the path did.

    Attributes:
        n_steps: chosen, or given.
        path: by number of steps, the mean log-likelihood of labels that were left out; empty if
            none was tried.
    """

    n_steps: int
    path: dict[int, float]


def default_steps(spectrum: Spectrum, step_size: float, labels: Labels) -> int:
    """Return how many steps suit the graph: more if it is larger, or its parts hang together less.

    One bound is that little is left of the fastest mode that is known: then what the others would
    add is small. The other is that little is left but three modes a class, which is much more
    diffusion where the points lie along lines, and hardly more where they fill many dimensions.
    The geometric mean of the two is taken, and less of it the more labels there are, since each has
    to reach fewer points.

    Where the graph falls into as many clusters as there are classes, it is as many steps as leave
    little but these.
    """
    rates, n_classes = spectrum.rates, labels.n_classes
    moving = rates[rates > STILL]
    if len(moving) == 0:
        return math.ceil(LEAST_STRENGTH / step_size)
    if n_classes < len(rates) and rates[n_classes] > max(CLEAR_GAP * rates[n_classes - 1], STILL):
        return _within_bounds(_steps_to_end(rates[n_classes], step_size), step_size)
    slower = moving[min(MODES_A_CLASS * n_classes, len(moving) - 1)]
    n_steps = math.sqrt(_steps_to_end(slower, step_size) * _steps_to_end(moving[-1], step_size))
    n_steps /= (len(labels.known) / n_classes) ** FEWER_WITH_LABELS
    return _within_bounds(n_steps, step_size)


def _within_bounds(n_steps: float, step_size: float) -> int:
    least, most = math.ceil(LEAST_STRENGTH / step_size), math.ceil(MOST_STRENGTH / step_size)
    return min(most, max(least, round(n_steps)))


def _steps_to_end(rate: Tensor, step_size: float) -> float:
    """Return after how many steps only `LEFT_OF_MODE` is left of a mode."""
    left = 1 - step_size * float(rate)
    return math.log(LEFT_OF_MODE) / math.log(max(left, LEFT_OF_MODE))


def graph_view(spectrum: Spectrum, step_size: float, n_steps: int, n_classes: int) -> View:
    """Return where diffusion by `n_steps` steps puts the points, to tell so many classes apart."""
    sharpness = GRAPH_SHARPNESS * sharper(n_classes)
    return View.make(spectrum.modes, spectrum.decay(step_size, n_steps), sharpness, by_mean=False)


def choose_strength(spectrum: Spectrum, labels: Labels, step_size: float) -> StrengthChoice:
    """Try every strength on the labels, each left out once, in closed form.

    Only where each class has two labels or more. The default is left for a better one only if the
    labels speak clearly: prototypes that are refined afterwards, as these are not, need less
    diffusion.
    """
    usual = default_steps(spectrum, step_size, labels)
    if int(labels.counts.min()) < 2:
        return StrengthChoice(usual, {})
    most = math.ceil(MOST_STRENGTH / step_size)
    tried = sorted({min(most, max(1, round(factor * usual))) for factor in FACTORS_TRIED})
    fits = {
        n_steps: _likelihoods(graph_view(spectrum, step_size, n_steps, labels.n_classes), labels)
        for n_steps in tried
    }
    path = {n_steps: float(fit.mean()) for n_steps, fit in fits.items()}
    best = max(path, key=lambda n_steps: path[n_steps])
    gain = fits[best] - fits[usual]
    bias = BIAS * float((1 / labels.counts[labels.classes].square()).sum())
    if float(gain.sum()) <= bias + CLEARLY * float(gain.std()) * math.sqrt(len(gain)):
        best = usual
    return StrengthChoice(best, path)


def _likelihoods(view: View, labels: Labels) -> Tensor:
    """Return the log-likelihood of each label, (n,), with the sharpness that suits the strength."""
    scores = score_without_own(view.points[labels.known], labels.classes, labels.n_classes)
    fits = [
        (sharpness * scores).log_softmax(dim=1).gather(1, labels.classes.unsqueeze(1)).squeeze(1)
        for sharpness in SHARPNESSES
    ]
    return max(fits, key=lambda fit: float(fit.mean()))
