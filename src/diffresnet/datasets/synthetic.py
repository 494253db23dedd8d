"""The four planar sets of the paper (Section 5.1, Appendix E.1): XOR, moon, circle, spiral.

The paper says that points are drawn uniformly along the curves; the authors' code takes evenly
spaced angles and adds Gaussian noise. These functions follow the code.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from diffresnet._support.checks import check_count, check_real

XOR_CENTERS = ((0.0, 0.0), (2.0, 2.0), (2.0, 0.0), (0.0, 2.0))
XOR_LABELS = (0, 0, 1, 1)


class SyntheticSet(NamedTuple):
    """Points (N, 2) in float64, their class, and the connected piece of the class they lie in."""

    points: Tensor
    labels: Tensor
    subclasses: Tensor


def make_xor(
    generator: torch.Generator, *, n_points: int = 400, radius: float = 0.75
) -> SyntheticSet:
    """Draw points uniformly in four discs around (0,0), (2,2), (2,0), (0,2).

    The first two discs are class 0, the others class 1; each is a subclass.

    Args:
        generator: source of the random numbers.
        n_points: in all, at least 4; the first discs take what is over.
        radius: of each disc.

    Raises:
        ValueError: if `n_points` or `radius` is out of range.

    Examples:
        >>> xor = make_xor(torch.Generator().manual_seed(0))
        >>> xor.points.shape, xor.subclasses.bincount().tolist()
        (torch.Size([400, 2]), [100, 100, 100, 100])
    """
    n_points = check_count("make_xor", "n_points", n_points, low=len(XOR_CENTERS))
    radius = check_real("make_xor", "radius", radius)
    subclasses = _assign(n_points, len(XOR_CENTERS))
    radii, turns = torch.rand(2, n_points, generator=generator, dtype=torch.float64)
    centers = torch.tensor(XOR_CENTERS, dtype=torch.float64)[subclasses]
    points = centers + _polar(radius * radii.sqrt(), 2 * math.pi * turns)
    return SyntheticSet(points, torch.tensor(XOR_LABELS)[subclasses], subclasses)


def make_moon(
    generator: torch.Generator, *, n_points: int = 1000, noise: float = 0.05
) -> SyntheticSet:
    """Place points on two half circles of radius 1 that reach into each other.

    Class 0 is the upper half around (0, 0), class 1 the lower half around (1, 0.5).

    Args:
        generator: source of the random numbers.
        n_points: in all, at least 2.
        noise: standard deviation of the Gaussian noise in each coordinate.

    Raises:
        ValueError: if `n_points` or `noise` is out of range.

    Examples:
        >>> make_moon(torch.Generator().manual_seed(0), n_points=10).labels.tolist()
        [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    """
    labels = _assign(check_count("make_moon", "n_points", n_points, low=2), 2)
    angles = _angles(labels, math.pi)
    upper = _polar(1.0, angles)
    lower = upper.new_tensor([1.0, 0.5]) - upper
    points = torch.where(labels.unsqueeze(-1) == 0, upper, lower)
    return _with_noise("make_moon", points, labels, noise, generator)


def make_circle(
    generator: torch.Generator, *, n_points: int = 1000, noise: float = 0.05
) -> SyntheticSet:
    """Place points on two circles around (0, 0): class 0 of radius 2, class 1 of radius 1.

    Args:
        generator: source of the random numbers.
        n_points: in all, at least 2.
        noise: standard deviation of the Gaussian noise in each coordinate.

    Raises:
        ValueError: if `n_points` or `noise` is out of range.

    Examples:
        >>> make_circle(torch.Generator().manual_seed(0), n_points=5, noise=0).points[0].tolist()
        [2.0, 0.0]
    """
    labels = _assign(check_count("make_circle", "n_points", n_points, low=2), 2)
    points = _polar(2.0 - labels, _angles(labels, 2 * math.pi))
    return _with_noise("make_circle", points, labels, noise, generator)


def make_spiral(
    generator: torch.Generator, *, n_points: int = 1000, noise: float = 0.1
) -> SyntheticSet:
    """Place points on two spirals, r = 1 + theta (class 0) and r = -1 - theta (class 1), one turn.

    Args:
        generator: source of the random numbers.
        n_points: in all, at least 2.
        noise: standard deviation of the Gaussian noise in each coordinate.

    Raises:
        ValueError: if `n_points` or `noise` is out of range.

    Examples:
        >>> spiral = make_spiral(torch.Generator().manual_seed(0), n_points=4, noise=0)
        >>> spiral.points[[0, 2]].tolist()
        [[1.0, 0.0], [-1.0, -0.0]]
    """
    labels = _assign(check_count("make_spiral", "n_points", n_points, low=2), 2)
    angles = _angles(labels, 2 * math.pi)
    points = _polar((1 - 2 * labels) * (1 + angles), angles)
    return _with_noise("make_spiral", points, labels, noise, generator)


def _assign(n_points: int, n_groups: int) -> Tensor:
    """Return the group of each point, as equal in size as can be, one after the other."""
    return (torch.arange(n_points) % n_groups).sort().values


def _angles(labels: Tensor, last: float) -> Tensor:
    """Return evenly spaced angles from 0 to `last`, both included, within each class."""
    counts = labels.bincount().tolist()
    return torch.cat([torch.linspace(0, last, count, dtype=torch.float64) for count in counts])


def _polar(radii: Tensor | float, angles: Tensor) -> Tensor:
    return torch.stack([radii * angles.cos(), radii * angles.sin()], dim=-1)


def _with_noise(
    function: str, points: Tensor, labels: Tensor, noise: float, generator: torch.Generator
) -> SyntheticSet:
    noise = check_real(function, "noise", noise, zero=True)
    draws = torch.randn(points.shape, generator=generator, dtype=torch.float64)
    return SyntheticSet(points + noise * draws, labels, labels)
