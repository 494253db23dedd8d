"""Random sets of points for the tests of the theory."""

from dataclasses import dataclass

import torch
from torch import Tensor

from diffresnet.theory import max_ball_diameter, min_distance, required_ratio


@dataclass(frozen=True)
class Grouped:
    """Points with their subclasses."""

    points: Tensor
    subclasses: Tensor


def integer(low: int, high: int, generator: torch.Generator) -> int:
    return int(torch.randint(low, high + 1, (1,), generator=generator))


def number(low: float, high: float, generator: torch.Generator) -> float:
    return low + (high - low) * float(torch.rand(1, generator=generator))


def at_the_exact_bound(generator: torch.Generator, max_features: int = 512) -> Grouped:
    """Draw subclasses of some shape whose L/D is just above what Theorem 2 requires."""
    n_subclasses = integer(2, 12, generator)
    n_features = integer(2, max_features, generator)
    sizes = torch.randint(1, 30, (n_subclasses,), generator=generator)
    sizes[0] = integer(2, 30, generator)
    subclasses = torch.arange(n_subclasses).repeat_interleave(sizes)
    centers = torch.randn(n_subclasses, n_features, generator=generator, dtype=torch.float64)
    shape = torch.rand(n_features, generator=generator, dtype=torch.float64) ** 3
    noise = torch.randn(len(subclasses), n_features, generator=generator, dtype=torch.float64)
    if integer(0, 1, generator):  # corners: far from the center of their ball
        noise = noise.sign()
    offsets = shape * noise
    required = required_ratio(n_subclasses, n_features)
    scale = float(torch.pdist(centers).min()) / required / max_ball_diameter(offsets, subclasses)
    while True:
        points = centers[subclasses] + scale * offsets
        ratio = min_distance(points, subclasses) / max_ball_diameter(points, subclasses)
        if ratio > required:
            return Grouped(points, subclasses)
        scale *= 0.98


def slabs(generator: torch.Generator, n_features: int) -> Grouped:
    """Draw subclasses that are disjoint along one hidden direction, and overlap along others.

    Intervals differ in length up to fifteenfold, gaps are from 2 to 50 % of a mean length, and each
    subclass is slanted in a way of its own.
    """
    n_subclasses = integer(2, 12, generator)
    sizes = torch.randint(5, 100, (n_subclasses,), generator=generator)
    subclasses = torch.arange(n_subclasses).repeat_interleave(sizes)
    n_points = len(subclasses)
    gap, spread = number(0.02, 0.5, generator), number(0.3, 5.0, generator)
    lengths = 0.2 + 2.8 * torch.rand(n_subclasses, generator=generator, dtype=torch.float64)
    lefts = (lengths + gap * lengths.mean()).cumsum(0) - lengths
    inside = torch.rand(n_points, generator=generator, dtype=torch.float64)
    places = lefts[subclasses] + lengths[subclasses] * inside
    others = torch.rand(n_points, n_features - 1, generator=generator, dtype=torch.float64)
    means = torch.rand(n_subclasses, n_features - 1, generator=generator, dtype=torch.float64)
    slants = torch.randn(n_subclasses, n_features - 1, generator=generator, dtype=torch.float64)
    moved = others + number(0.0, 2.0, generator) * means[subclasses]
    moved += number(0.0, 2.0, generator) * slants[subclasses] * inside.unsqueeze(1)
    points = torch.cat([places.unsqueeze(1), n_subclasses * spread * moved], dim=1)
    mixing = torch.randn(n_features, n_features, generator=generator, dtype=torch.float64)
    return Grouped(points @ torch.linalg.qr(mixing)[0], subclasses)


def labels_of_subclasses(n_subclasses: int, n_classes: int, generator: torch.Generator) -> Tensor:
    """Draw a class for each subclass; all classes occur."""
    n_others = n_subclasses - n_classes
    others = torch.randint(0, n_classes, (n_others,), generator=generator)
    labels = torch.cat([torch.arange(n_classes), others])
    return labels[torch.randperm(n_subclasses, generator=generator)]


def structured(generator: torch.Generator) -> tuple[Grouped, Tensor]:
    """Draw a set that parallel planes part, with a class for each point, as for Theorem 1."""
    n_subclasses = integer(2, 12, generator)
    n_classes = integer(2, min(6, n_subclasses), generator)
    n_features = integer(2, 64, generator)
    sizes = torch.randint(1, 201, (n_subclasses,), generator=generator)
    subclasses = torch.arange(n_subclasses).repeat_interleave(sizes)
    n_points = len(subclasses)
    hidden = torch.randn(n_features, generator=generator, dtype=torch.float64)
    hidden /= hidden.norm()
    points = torch.randn(n_points, n_features, generator=generator, dtype=torch.float64)
    points *= number(0.1, 2.0, generator)
    lengths = number(0.2, 1.0, generator) * torch.rand(n_points, generator=generator)
    rank = torch.randperm(n_subclasses, generator=generator)[subclasses]
    places = rank * number(1.02, 1.5, generator) + lengths.double()
    points += (places - points @ hidden).unsqueeze(1) * hidden
    labels = labels_of_subclasses(n_subclasses, n_classes, generator)
    return Grouped(points + 3 * hidden, subclasses), labels[subclasses]
