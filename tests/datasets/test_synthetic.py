import math
from collections.abc import Callable

import pytest
import torch

from diffresnet.datasets import SyntheticSet, make_circle, make_moon, make_spiral, make_xor

MAKERS: tuple[Callable[..., SyntheticSet], ...] = (make_xor, make_moon, make_circle, make_spiral)


@pytest.mark.parametrize("make", MAKERS)
def test_the_generator_decides(make: Callable[..., SyntheticSet]) -> None:
    first, second, other = (make(torch.Generator().manual_seed(seed)) for seed in (0, 0, 1))
    assert torch.equal(first.points, second.points)
    assert not torch.equal(first.points, other.points)
    assert first.points.dtype == torch.float64
    assert len(first.labels) == len(first.subclasses) == len(first.points)


def test_xor_is_uniform_in_four_discs(generator: torch.Generator) -> None:
    data = make_xor(generator, n_points=40_000)
    centers = torch.tensor([[0, 0], [2, 2], [2, 0], [0, 2]])
    radii = (data.points - centers[data.subclasses]).norm(dim=1)
    assert radii.max() <= 0.75
    # Half of the area of a disc lies within radius / sqrt(2).
    assert (radii < 0.75 / math.sqrt(2)).double().mean() == pytest.approx(0.5, abs=0.02)
    assert torch.equal(data.labels, data.subclasses // 2)
    assert data.subclasses.bincount().tolist() == [10_000] * 4


def test_curves_without_noise(generator: torch.Generator) -> None:
    moon = make_moon(generator, noise=0)
    upper, lower = moon.points[moon.labels == 0], moon.points[moon.labels == 1]
    torch.testing.assert_close(upper.norm(dim=1), torch.ones(500, dtype=torch.float64))
    assert (upper[:, 1] > -1e-9).all()
    around = lower - torch.tensor([1, 0.5])
    torch.testing.assert_close(around.norm(dim=1), torch.ones(500, dtype=torch.float64))
    assert (around[:, 1] < 1e-9).all()

    circle = make_circle(generator, noise=0)
    torch.testing.assert_close(circle.points.norm(dim=1), 2.0 - circle.labels.double())

    spiral = make_spiral(generator, noise=0)
    angles = torch.linspace(0, 2 * math.pi, 500, dtype=torch.float64)
    torch.testing.assert_close(spiral.points[:500].norm(dim=1), 1 + angles)
    torch.testing.assert_close(spiral.points[500:], -spiral.points[:500])


def test_noise_has_the_given_deviation(generator: torch.Generator) -> None:
    noisy = make_spiral(generator, n_points=20_000, noise=0.1).points
    clean = make_spiral(generator, n_points=20_000, noise=0).points
    assert (noisy - clean).std().item() == pytest.approx(0.1, rel=0.05)


def test_uneven_numbers_of_points(generator: torch.Generator) -> None:
    assert make_xor(generator, n_points=6).subclasses.bincount().tolist() == [2, 2, 1, 1]
    assert make_moon(generator, n_points=5).labels.bincount().tolist() == [3, 2]


def test_bad_input(generator: torch.Generator) -> None:
    with pytest.raises(ValueError, match="make_xor: `n_points` must be at least 4, got 3"):
        make_xor(generator, n_points=3)
    with pytest.raises(ValueError, match="make_moon: `noise` must be a finite number of at least"):
        make_moon(generator, noise=-1)
