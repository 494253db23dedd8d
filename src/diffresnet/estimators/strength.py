"""How far to diffuse: the strength that tells left out labels best."""

import math
from dataclasses import dataclass

from torch import Tensor

from diffresnet.estimators.learning import GRAPH_SHARPNESS, Labels, View
from diffresnet.estimators.prototypes import score_without_own
from diffresnet.estimators.spectrum import Spectrum

STEPS_TRIED = (3, 6, 12, 24, 48, 96)
DEFAULT_STEPS = 12
CLEARLY = 3.0
"""Standard errors of the gain in log-likelihood that another strength must have."""

MINIMAL_GAIN = 10.0
"""And this much more: with few labels the standard error is a guess itself."""

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


def graph_view(spectrum: Spectrum, step_size: float, n_steps: int) -> View:
    """Return where diffusion by `n_steps` steps puts the points."""
    return View.make(spectrum.modes, spectrum.decay(step_size, n_steps), GRAPH_SHARPNESS)


def choose_strength(spectrum: Spectrum, labels: Labels, step_size: float) -> StrengthChoice:
    """Try every strength on the labels, each left out once, in closed form.

    Only where each class has two labels or more. The default, `DEFAULT_STEPS`, is left for a better
    one only if the labels speak clearly: prototypes that are refined afterwards, as these are not,
    need less diffusion.
    """
    if int(labels.counts.min()) < 2:
        return StrengthChoice(DEFAULT_STEPS, {})
    fits = {
        n_steps: _likelihoods(graph_view(spectrum, step_size, n_steps), labels)
        for n_steps in STEPS_TRIED
    }
    path = {n_steps: float(fit.mean()) for n_steps, fit in fits.items()}
    best = max(path, key=lambda n_steps: path[n_steps])
    gain = fits[best] - fits[DEFAULT_STEPS]
    if float(gain.sum()) <= MINIMAL_GAIN + CLEARLY * float(gain.std()) * math.sqrt(len(gain)):
        best = DEFAULT_STEPS
    return StrengthChoice(best, path)


def _likelihoods(view: View, labels: Labels) -> Tensor:
    """Return the log-likelihood of each label, (n,), with the sharpness that suits the strength."""
    scores = score_without_own(view.points[labels.known], labels.classes, labels.n_classes)
    fits = [
        (sharpness * scores).log_softmax(dim=1).gather(1, labels.classes.unsqueeze(1)).squeeze(1)
        for sharpness in SHARPNESSES
    ]
    return max(fits, key=lambda fit: float(fit.mean()))
