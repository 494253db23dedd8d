"""The constants of the mixture, on one machine and on a cluster alike.

benchmarks/classifier_ablation.py varies them.
"""

from dataclasses import dataclass, field

from diffresnet.learning.prototype_settings import PrototypeSettings

BANDWIDTH_SCALE = 0.5
"""The kernel's width at a point is the distance to the neighbor of the given rank, times this."""

FLOOR = 0.01
"""Of labels that spread over the graph: modes slower than this, relative to the mean rate, are all
as smooth."""

GRAPH_WEIGHTS = (0.25, 0.5, 0.75, 0.9)
"""Of the graph's kernel against that of the features; held-out labels choose."""

N_REFERENCES = 400
"""Points that stand for all where the kernel of the features is centered."""


@dataclass(frozen=True)
class MixtureSettings:
    """What the mixture depends on.

    Attributes:
        prototypes: the settings of that part.
        doubt: how far weights may be from those expected beforehand.
        propagation_weight: of the propagation in the cold start, in units of the prototypes.
    """

    prototypes: PrototypeSettings = field(default_factory=PrototypeSettings)
    doubt: float = 0.3
    propagation_weight: float = 1.0
