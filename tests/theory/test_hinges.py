import numpy as np
import pytest
import torch

from diffresnet.nn import ResidualBlock
from diffresnet.theory.hinges import (
    Hinges,
    hinge_network,
    nearest_level,
    orthogonal_direction,
)


@pytest.mark.parametrize("width", [1, 2, 3, 8])
def test_the_network_adds_the_hinges(width: int) -> None:
    generator = np.random.default_rng(0)
    direction = generator.normal(size=4)
    direction /= np.linalg.norm(direction)
    shift = orthogonal_direction(direction)
    knots, slopes = [-1.0, 0.0, 0.5], [2.0, -3.0, 1.0]
    network = hinge_network(Hinges(direction, shift, knots, slopes), width, torch.float64)
    assert len(network) == -(-3 // width)
    assert all(isinstance(block, ResidualBlock) for block in network)
    x = generator.normal(size=(50, 4))
    added = sum(
        slope * np.maximum(x @ direction - knot, 0)
        for knot, slope in zip(knots, slopes, strict=True)
    )
    moved = network(torch.from_numpy(x)).detach().numpy()
    np.testing.assert_allclose(moved, x + np.outer(added, shift), atol=1e-12)
    np.testing.assert_allclose(moved @ direction, x @ direction, atol=1e-12)


def test_orthogonal_unit_vectors() -> None:
    for direction in ([1.0, 0.0], [0.6, 0.8], [0.0, 0.0, -1.0], [0.5] * 4):
        beta = orthogonal_direction(np.array(direction))
        assert abs(beta @ np.array(direction)) < 1e-15
        assert np.linalg.norm(beta) == pytest.approx(1)


def test_the_best_score_is_the_nearest_level() -> None:
    shift = np.array([0.0, 1.0])
    classifier = nearest_level(shift, [0.0, 10.0, 20.0], torch.float64)
    heights = torch.tensor([-50.0, 4.9, 5.1, 14.9, 15.1, 99.0], dtype=torch.float64)
    points = torch.stack([heights.flip(0), heights], dim=1)
    assert classifier(points).argmax(dim=1).tolist() == [0, 0, 1, 1, 2, 2]
