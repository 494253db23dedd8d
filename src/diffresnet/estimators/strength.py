"""How far to diffuse: what suits the graph, or explains held-out labels clearly better."""

import math
from dataclasses import dataclass

from torch import Tensor

from diffresnet.diffusion.spectrum import Spectrum
from diffresnet.estimators.views import View
from diffresnet.learning.labels import Labels
from diffresnet.learning.prototypes import held_out_scores

CONSTANT = 1e-5
"""Modes that decay no faster are those of components that are not connected."""

SHARPNESSES = (2.5, 5.0, 10.0, 20.0, 40.0)
"""What scores are multiplied by: strong diffusion draws points together, and needs more of it."""


@dataclass(frozen=True)
class StrengthSettings:
    """What the choice of the strength depends on.

    Attributes:
        remaining: how much of a mode the default strength leaves; of which, `default_steps` says.
        modes_per_class: the slower of the two modes that it looks at.
        label_exponent: the default falls with this power of the number of labels per class.
        clear_gap: how much faster than the one before must the first mode beyond the classes decay
            to say that the graph has as many clusters as there are classes.
        least: strength.
        most: strength.
        factors: strengths that are tried on the labels, as multiples of the default.
        n_errors: standard errors of the gain in log-likelihood that another strength must have.
        bias: and so much more, over the square of the number of labels of the class, for each
            label: the mean of few labels gains by strong diffusion what refined prototypes have
            without it.
    """

    remaining: float = 0.35
    modes_per_class: int = 3
    label_exponent: float = 0.25
    clear_gap: float = 2.0
    least: float = 4.0
    most: float = 5_000.0
    factors: tuple[float, ...] = (0.25, 0.5, 1, 2, 4, 8)
    n_errors: float = 3.0
    bias: float = 10.0


DEFAULT_STRENGTH = StrengthSettings()


@dataclass(frozen=True)
class StrengthChoice:
    """The number of steps, and how every number on the path did.

    Attributes:
        step_size: of each.
        n_steps: chosen, or given.
        path: by number of steps, the mean log-likelihood of held-out labels; empty if none was
            tried.
    """

    step_size: float
    n_steps: int
    path: dict[int, float]


def default_steps(
    spectrum: Spectrum,
    step_size: float,
    labels: Labels,
    settings: StrengthSettings = DEFAULT_STRENGTH,
) -> int:
    """Return how many steps suit the graph: more if it is larger, or hangs together less.

    One bound is that little remains of the fastest mode that is known: then what the others would
    add is small. The other is that little remains but some modes per class, which is much more
    diffusion where the points lie along lines, and hardly more where they fill many dimensions.
    The geometric mean of the two is taken, and less of it the more labels there are, since each has
    to reach fewer points.

    Where the graph falls into as many clusters as there are classes, it is as many steps as leave
    little but these.
    """
    rates, n_classes = spectrum.rates, labels.n_classes
    moving = rates[rates > CONSTANT]
    if len(moving) == 0:
        return math.ceil(settings.least / step_size)

    def steps_to_end(rate: Tensor) -> float:
        left = max(1 - step_size * float(rate), settings.remaining)
        return math.log(settings.remaining) / math.log(left)

    gap = max(settings.clear_gap * float(rates[min(n_classes, len(rates)) - 1]), CONSTANT)
    if n_classes < len(rates) and rates[n_classes] > gap:
        n_steps = steps_to_end(rates[n_classes])
    else:
        slower = moving[min(settings.modes_per_class * n_classes, len(moving) - 1)]
        n_steps = math.sqrt(steps_to_end(slower) * steps_to_end(moving[-1]))
        n_steps /= (len(labels.rows) / n_classes) ** settings.label_exponent
    least, most = (math.ceil(bound / step_size) for bound in (settings.least, settings.most))
    return min(most, max(least, round(n_steps)))


def choose_strength(
    spectrum: Spectrum,
    labels: Labels,
    step_size: float,
    settings: StrengthSettings = DEFAULT_STRENGTH,
) -> StrengthChoice:
    """Try every strength on the labels, each held out once, in closed form.

    Only where each class has two labels or more. The default is left for a better one only if the
    labels speak clearly: prototypes that are refined afterwards, as these are not, need less
    diffusion.
    """
    usual = default_steps(spectrum, step_size, labels, settings)
    if int(labels.counts.min()) < 2:
        return StrengthChoice(step_size, usual, {})
    most = math.ceil(settings.most / step_size)
    tried = sorted({min(most, max(1, round(factor * usual))) for factor in settings.factors})
    tried = tried if usual in tried else sorted([*tried, usual])
    fits = {
        n_steps: _likelihoods(View.of_graph(spectrum, step_size, n_steps), labels)
        for n_steps in tried
    }
    path = {n_steps: float(fit.mean()) for n_steps, fit in fits.items()}
    best = max(path, key=lambda n_steps: path[n_steps])
    gain = fits[best] - fits[usual]
    bias = settings.bias * float((1 / labels.counts[labels.classes].square()).sum())
    if float(gain.sum()) <= bias + settings.n_errors * float(gain.std()) * math.sqrt(len(gain)):
        best = usual
    return StrengthChoice(step_size, best, path)


def _likelihoods(view: View, labels: Labels) -> Tensor:
    """Return the log-likelihood of each label, (n,), with the sharpness that suits the strength."""
    scores = held_out_scores(view.points[labels.rows], labels.classes, labels.n_classes)
    fits = [
        (sharpness * scores).log_softmax(dim=1).gather(1, labels.classes.unsqueeze(1)).squeeze(1)
        for sharpness in SHARPNESSES
    ]
    return max(fits, key=lambda fit: float(fit.mean()))
