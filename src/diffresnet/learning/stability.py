"""How stable the classes are in the graph: a witness where no label can be held out."""

import torch
from torch import Tensor

from diffresnet.learning.directions import Directions
from diffresnet.learning.prototype_settings import PrototypeSettings
from diffresnet.learning.prototypes import spherical_kmeans


def measure_stability(
    points: Tensor,
    directions: Directions,
    generator: torch.Generator,
    settings: PrototypeSettings,
    *,
    n_restarts: int,
) -> float:
    """Measure how well classes are found again from one random point of each.

    The refined classes are, then the classes that were found from them, and so on: what comes out
    says more of the graph than of the labels.

    Args:
        points: (n, d) of a view, that are looked at.
        directions: what scores points there.
        generator: of the random points.
        settings: of the refinement.
        n_restarts: how often.

    Returns:
        The part of the points that keep their class, over all restarts.
    """
    prototypes = directions.refined
    classes = (points @ prototypes.mT).argmax(dim=1)
    kept = 0.0
    for _ in range(n_restarts):
        order = torch.randperm(len(points), generator=generator).to(points.device)
        last = torch.full((len(prototypes),), -1, device=points.device)
        last.scatter_reduce_(0, classes[order], torch.arange(len(order)).to(order), "amax")
        first = torch.where((last >= 0).unsqueeze(1), points[order[last]], prototypes)
        prototypes = spherical_kmeans(
            points,
            first,
            anchors=torch.zeros_like(first),
            sharpness=directions.sharpness,
            n_rounds=settings.n_rounds,
            rate=settings.rate,
        )
        before, classes = classes, (points @ prototypes.mT).argmax(dim=1)
        kept += float((before == classes).double().mean())
    return kept / max(1, n_restarts)
