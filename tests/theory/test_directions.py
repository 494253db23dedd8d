import math

import pytest
import torch

from diffresnet.theory import (
    find_separating_direction,
    max_ball_diameter,
    min_distance,
    min_hull_distance,
    required_ratio,
)
from tests.theory.examples import at_the_exact_bound, slabs


def test_the_result_describes_the_points(generator: torch.Generator) -> None:
    data = slabs(generator, 3)
    found = find_separating_direction(data.points, data.subclasses + 10)
    assert found.found
    assert float(found.direction.norm()) == pytest.approx(1)
    places = data.points @ found.direction
    assert sorted(found.order) == sorted(set((data.subclasses + 10).tolist()))
    for name, (low, high) in zip(found.order, found.intervals.tolist(), strict=True):
        mine = places[data.subclasses + 10 == name]
        assert (float(mine.min()), float(mine.max())) == pytest.approx((low, high))
    gaps = found.intervals[1:, 0] - found.intervals[:-1, 1]
    assert found.margin == pytest.approx(float(gaps.min()))
    assert found.margin <= min_hull_distance(data.points, data.subclasses)
    between = torch.bucketize(places, torch.tensor(found.thresholds, dtype=places.dtype))
    assert between.tolist() == [found.order.index(s + 10) for s in data.subclasses.tolist()]
    n = len(found.order)
    assert found.n_parted == n * (n - 1) / 2
    assert str(found).startswith(f"a direction separates all {n} subclasses, by ")


def count_found_at_the_bound(n_sets: int, max_features: int) -> int:
    sets = (
        at_the_exact_bound(torch.Generator().manual_seed(seed), max_features)
        for seed in range(n_sets)
    )
    return sum(find_separating_direction(s.points, s.subclasses).found for s in sets)


def count_found_beyond(n_sets: int) -> int:
    """Count over sets without the bound, but with a direction, in 2 to 32 dimensions."""
    n_found = 0
    for seed in range(n_sets):
        data = slabs(torch.Generator().manual_seed(seed), 2 + seed % 31)
        ratio = min_distance(data.points, data.subclasses)
        ratio /= max_ball_diameter(data.points, data.subclasses)
        n_subclasses = len(data.subclasses.unique())
        assert ratio < required_ratio(n_subclasses, data.points.shape[1])
        n_found += find_separating_direction(data.points, data.subclasses).found
    return n_found


def test_found_wherever_theorem_2_says_so() -> None:
    assert count_found_at_the_bound(20, 64) == 20


def test_found_in_most_cases_beyond() -> None:
    assert count_found_beyond(31) >= 28


@pytest.mark.slow
def test_found_for_500_sets_of_up_to_512_features() -> None:
    assert count_found_at_the_bound(500, 512) == 500


@pytest.mark.slow
def test_found_in_90_percent_beyond() -> None:
    n_found = count_found_beyond(310)
    print(f"found {n_found} of 310")  # noqa: T201
    assert n_found >= 279


def test_none_there() -> None:
    """The middle of a triangle's corners is in no half-plane of its own, nor is a cross."""
    points = torch.tensor([[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0]])
    found = find_separating_direction(points, torch.tensor([0, 0, 1, 1]))
    assert not found.found
    assert found.margin <= 0
    assert found.n_parted == 0
    assert str(found).startswith("no direction found that separates all 2 subclasses; the best of ")
    assert str(found).endswith(" separates 0 of 1 pairs")


def test_coinciding_points_one_subclass_and_a_line() -> None:
    points = torch.tensor([[0.0, 1.0], [0.0, 1.0]])
    assert not find_separating_direction(points, torch.tensor([0, 1])).found
    one = find_separating_direction(points, torch.tensor([0, 0]))
    assert one.found
    assert one.margin == math.inf
    assert one.thresholds == ()
    line = torch.tensor([[0.0], [1.0], [3.0], [4.0]])
    found = find_separating_direction(line, torch.tensor([5, 5, 2, 2]))
    assert found.found
    assert found.margin == 2
    assert set(found.order) == {2, 5}
    assert not find_separating_direction(line, torch.tensor([0, 1, 0, 1])).found


def test_the_generator_decides() -> None:
    points = torch.randn(5, 3, generator=torch.Generator().manual_seed(1))
    groups = torch.arange(5)
    a, b = (
        find_separating_direction(points, groups, torch.Generator().manual_seed(seed))
        for seed in (3, 3)
    )
    assert torch.equal(a.direction, b.direction)


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="find_separating_direction: `subclasses` must be 2 integ"):
        find_separating_direction(torch.zeros(2, 2), torch.zeros(2))


def test_how_far_it_got_does_not_depend_on_empty_features(generator: torch.Generator) -> None:
    centers = torch.tensor([[0.0, 0.0], [4.0, 4.0], [0.0, 4.0], [4.0, 0.0]])
    noise = 0.5 * torch.randn(60, 2, generator=generator)
    points, subclasses = centers.repeat_interleave(15, dim=0) + noise, torch.arange(60) // 15
    points[20] = points[50]
    for wider in (points, torch.cat([points, torch.zeros(60, 1)], dim=1)):
        found = find_separating_direction(wider, subclasses)
        assert not found.found
        assert found.n_parted >= 4
