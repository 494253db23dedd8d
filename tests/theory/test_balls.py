import pytest
import torch

from diffresnet.theory import ball_factor, max_ball_diameter, max_diameter


def test_known_balls(generator: torch.Generator) -> None:
    disc = torch.randn(300, 2, generator=generator)
    disc = 3 * disc / disc.norm(dim=1, keepdim=True)
    one = torch.zeros(300, dtype=torch.long)
    assert 6 - 0.1 < max_ball_diameter(disc + 5, one) < 6 * 1.01
    assert max_ball_diameter(disc, torch.arange(300)) == 0
    simplex = torch.eye(9)
    diameter = max_ball_diameter(simplex, one[:9])
    assert diameter == pytest.approx(ball_factor(8) * 2**0.5, rel=0.01)


def test_between_the_diameter_and_jungs_bound(generator: torch.Generator) -> None:
    for n_features in (1, 2, 7, 60):
        points = torch.randn(50, n_features, generator=generator)
        subclasses = torch.arange(50) % 4
        diameter = max_diameter(points, subclasses)
        ball = max_ball_diameter(points, subclasses)
        assert diameter * (1 - 1e-9) <= ball <= diameter * ball_factor(n_features) * 1.03


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="ball_factor: `n_features` must be at least 1, got 0"):
        ball_factor(0)
