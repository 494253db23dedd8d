"""How stable the classes are in the graph, and what that says where no label can be left out."""

import math

import torch
from torch import Tensor

from diffresnet.estimators.directions import Directions
from diffresnet.estimators.views import View
from diffresnet.learning.prototypes import refine_prototypes

N_RESTARTS = 8


def sharper(n_classes: int) -> float:
    """Return how much sharper many classes must be for a point to belong mostly to one."""
    return max(1.0, math.sqrt(n_classes / 10))


def measure_stability(
    view: View, directions: Directions, sample: Tensor, generator: torch.Generator
) -> float:
    """Tell how well classes are found again from one random point of each.

    The refined classes are, then the classes that were found from them, and so on: what comes out
    says more of the graph than of the labels.

    Returns:
        The share of points that keep their class, over `N_RESTARTS` restarts.
    """
    points, prototypes = view.points[sample], directions.refined
    classes = (points @ prototypes.mT).argmax(dim=1)
    kept = 0.0
    for _ in range(N_RESTARTS):
        order = torch.randperm(len(points), generator=generator).to(points.device)
        last = torch.full((len(prototypes),), -1, device=points.device)
        last.scatter_reduce_(0, classes[order], torch.arange(len(order)).to(order), "amax")
        first = torch.where((last >= 0).unsqueeze(1), points[order[last]], prototypes)
        none = order[:0]
        prototypes = refine_prototypes(points, first, view.sharpness, known=none, labels=none)
        before, classes = classes, (points @ prototypes.mT).argmax(dim=1)
        kept += float((before == classes).double().mean())
    return kept / N_RESTARTS


def share_from_stability(stability: float) -> float:
    """Return the share of the graph's view when no label can be left out."""
    return 0.1 + 0.9 * min(1.0, max(0.0, (stability - 0.84) / 0.06))


def scale_from_stability(stability: float, n_classes: int) -> float:
    """Return the scale of the scores when no label can be left out."""
    return (0.25 + 0.75 * min(1.0, max(0.0, (stability - 0.82) / 0.07))) / sharper(n_classes)
