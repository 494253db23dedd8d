import math

import pytest
import torch

from diffresnet.theory import BOUNDS, bad_fraction, required_ratio


def test_numbers_of_the_notes() -> None:
    found = [required_ratio(10, 512, bound) for bound in BOUNDS]
    assert [round(value) for value in found] == [20419, 1275, 811]


@pytest.mark.parametrize("n_subclasses", [2, 3, 12])
@pytest.mark.parametrize("n_features", [1, 2, 3, 64, 512])
def test_each_bound_is_below_the_one_before(n_subclasses: int, n_features: int) -> None:
    paper, root, exact = (required_ratio(n_subclasses, n_features, bound) for bound in BOUNDS)
    assert exact <= root * (1 + 1e-12)
    assert root <= paper


def test_the_exact_bound_is_the_share_of_directions(generator: torch.Generator) -> None:
    """At the bound, the bands of all pairs together are as large as the sphere."""
    for n_subclasses, n_features in ((3, 2), (4, 5), (3, 50)):
        ratio = required_ratio(n_subclasses, n_features)
        t = 1 / math.sqrt(ratio**2 - 1)
        directions = torch.randn(200_000, n_features, generator=generator)
        directions /= directions.norm(dim=1, keepdim=True)
        share = float((directions[:, 0].abs() <= t).double().mean())
        assert share * n_subclasses * (n_subclasses - 1) / 2 == pytest.approx(1, rel=0.03)
        assert bad_fraction(n_subclasses, n_features, ratio) == pytest.approx(1)
        assert bad_fraction(n_subclasses, n_features, 3 * ratio) < 0.5


def test_one_subclass_and_a_line() -> None:
    for bound in BOUNDS:
        assert required_ratio(1, 7, bound) == 0
    assert required_ratio(5, 1, "sqrt") == required_ratio(5, 1, "exact") == 1
    assert required_ratio(2, 1, "paper") == pytest.approx(math.sqrt(1 + math.pi / 4))
    assert required_ratio(2, 3, "exact") == pytest.approx(math.sqrt(2))
    assert bad_fraction(1, 5, 0.0) == 0
    assert bad_fraction(4, 1, 1.01) == 0
    assert bad_fraction(4, 1, 1.0) == bad_fraction(4, 9, 1.2) == 1


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="required_ratio: `n_subclasses` must be at least 1, got"):
        required_ratio(0, 2)
    with pytest.raises(ValueError, match="required_ratio: `n_features` must be at least 1, got 0"):
        required_ratio(2, 0)
    with pytest.raises(ValueError, match="required_ratio: `bound` must be one of 'paper', 'sqrt'"):
        required_ratio(2, 2, "tight")  # pyright: ignore[reportArgumentType]
    with pytest.raises(
        ValueError, match="bad_fraction: `ratio` must be a finite number of at least 0"
    ):
        bad_fraction(2, 2, -1.0)
    with pytest.raises(ValueError, match="bad_fraction: `n_subclasses` must be at least 1"):
        bad_fraction(0, 2, 1.0)
    with pytest.raises(ValueError, match="bad_fraction: `n_features` must be at least 1"):
        bad_fraction(2, 0, 1.0)
