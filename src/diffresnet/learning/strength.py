"""How far to diffuse: what suits the graph and the number of labels."""

import math
from dataclasses import dataclass

from torch import Tensor

from diffresnet.diffusion.input import MOST_STEPS
from diffresnet.diffusion.spectrum import Spectrum

MODES_PER_CLASS = 3
"""Of the slow modes; the strength looks at as many."""

CONSTANT = 1e-5
"""Modes that decay no faster are those of components that are not connected."""


@dataclass(frozen=True)
class StrengthSettings:
    """What the choice of the strength depends on.

    Attributes:
        remaining: how much of a mode the default strength leaves; of which, `default_steps` says.
        modes_per_class: the slower of the two modes that it looks at.
        clear_gap: how much faster than the one before must the first mode beyond the classes decay
            to say that the graph has as many clusters as there are classes.
    """

    remaining: float = 0.35
    modes_per_class: int = MODES_PER_CLASS
    clear_gap: float = 2.0


DEFAULT_STRENGTH = StrengthSettings()


@dataclass(frozen=True)
class Strength:
    """How far points are diffused.

    Attributes:
        step_size: of each step.
        n_steps: how many.
    """

    step_size: float
    n_steps: int

    @property
    def value(self) -> float:
        """Their product."""
        return self.step_size * self.n_steps


def default_steps(
    spectrum: Spectrum,
    step_size: float,
    n_classes: int,
    settings: StrengthSettings = DEFAULT_STRENGTH,
) -> int:
    """Return how many steps suit the graph: more if it is larger, or hangs together less.

    One bound is that little remains of the fastest mode that is known: then what the others would
    add is small. The other is that little remains but some modes per class, which is much more
    diffusion where the points lie along lines, and hardly more where they fill many dimensions.
    The geometric mean of the two is taken.

    Where the graph falls into as many clusters as there are classes, it is as many steps as leave
    little but these.
    """
    rates = spectrum.rates
    moving = rates[rates > CONSTANT]
    if len(moving) == 0:
        return 1

    def steps_to_end(rate: Tensor) -> float:
        lost = min(step_size * float(rate), 1 - settings.remaining)
        return math.log(settings.remaining) / math.log1p(-lost) if lost > 0 else MOST_STEPS

    gap = max(settings.clear_gap * float(rates[min(n_classes, len(rates)) - 1]), CONSTANT)
    if n_classes < len(rates) and rates[n_classes] > gap:
        n_steps = steps_to_end(rates[n_classes])
    else:
        slower = moving[min(settings.modes_per_class * n_classes, len(moving) - 1)]
        n_steps = math.sqrt(steps_to_end(slower) * steps_to_end(moving[-1]))
    return round(min(max(1, n_steps), MOST_STEPS))
