import pytest
import torch

from diffresnet import DiffusionOperator, build_weights
from diffresnet.datasets import make_xor
from diffresnet.theory import (
    find_n_top_range,
    find_subclasses,
    max_diameter,
    min_distance,
)


def operator_of(points: torch.Tensor, n_top: int) -> DiffusionOperator:
    return DiffusionOperator(build_weights(points, n_top))


def test_xor_falls_into_its_discs(generator: torch.Generator) -> None:
    data = make_xor(generator)
    found = find_subclasses(data.points, data.labels, operator_of(data.points, 12))
    assert torch.equal(found.ids, data.subclasses)
    assert found.labels.tolist() == [0, 0, 1, 1]
    assert found.n_subclasses == found.n_components == 4
    assert found.are_structured
    assert found.min_distance == min_distance(data.points, data.subclasses)
    assert found.max_diameter == max_diameter(data.points, data.subclasses)


def test_a_component_with_two_classes() -> None:
    points = torch.tensor([[0.0], [1.0], [2.0], [3.0], [4.0]])
    line = torch.diag(torch.ones(4), 1) + torch.diag(torch.ones(4), -1)
    operator = DiffusionOperator(line)
    found = find_subclasses(points, torch.tensor([0, 0, 1, 1, 0]), operator)
    assert found.n_components == 1
    assert found.ids.tolist() == [0, 0, 1, 1, 0]
    assert found.n_crossing_links == 2
    assert found.n_scattered == 1  # points 0 and 1 are not linked to point 4
    assert not found.are_structured


def test_directed_links_count_once_and_zeros_not() -> None:
    weights = torch.tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]).to_sparse_csr()
    weights.values()[1] = 0.0
    points = torch.tensor([[0.0], [1.0], [2.0]])
    found = find_subclasses(points, torch.tensor([0, 1, 1]), DiffusionOperator(weights))
    assert found.n_crossing_links == 1
    assert (found.n_components, found.n_subclasses) == (2, 3)


def test_subclasses_of_one_point_and_one_class() -> None:
    points = torch.tensor([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]])
    found = find_subclasses(points, torch.tensor([7, 7, 7]), operator_of(points, 1))
    assert found.n_subclasses == 3
    assert found.labels.tolist() == [7, 7, 7]
    assert (found.min_distance, found.max_diameter) == (3.0, 0.0)
    assert find_n_top_range(points, found.ids).low == 1
    assert find_n_top_range(points, found.ids).high == 1


def test_coinciding_points_of_two_classes() -> None:
    points = torch.zeros(4, 2)
    found = find_subclasses(points, torch.tensor([0, 0, 1, 1]), operator_of(points, 3))
    assert found.min_distance == 0
    assert found.n_crossing_links > 0
    assert not found.are_structured


@pytest.mark.parametrize("seed", range(6))
def test_the_range_is_where_both_conditions_hold(seed: int) -> None:
    """Compare with every graph there is."""
    generator = torch.Generator().manual_seed(seed)
    subclasses = torch.arange(24) % 3
    centers = torch.tensor([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
    points = centers[subclasses] + torch.rand(24, 2, generator=generator) * (2 + seed / 2)
    good = range(0)
    for n_top in range(1, 25):
        weights = build_weights(points, n_top, bandwidth=10.0)
        found = find_subclasses(points, subclasses, DiffusionOperator(weights))
        if found.are_structured and found.n_subclasses == 3 and found.n_components == 3:
            good = range(good.start or n_top, n_top + 1)
    span = find_n_top_range(points, subclasses)
    assert span.exists == (len(good) > 0)
    if span.exists:
        assert (span.low, span.high) == (good.start, good.stop - 1)


def test_the_range_of_one_subclass() -> None:
    points = torch.tensor([[0.0], [1.0], [3.0], [3.5]])
    span = find_n_top_range(points, torch.zeros(4, dtype=torch.long))
    assert (span.low, span.high) == (3, 4)


def test_bad_input() -> None:
    points, labels = torch.zeros(3, 1), torch.zeros(3, dtype=torch.long)
    with pytest.raises(ValueError, match="find_subclasses: `operator` must be one over the 3 poi"):
        find_subclasses(points, labels, DiffusionOperator(torch.ones(2, 2)))
    with pytest.raises(ValueError, match="find_subclasses: `operator` must be one over the 3 poi"):
        find_subclasses(points, labels, DiffusionOperator(torch.ones(1, 3, 3)))
    with pytest.raises(ValueError, match="find_subclasses: `labels` must be 3 integers"):
        find_subclasses(points, labels[:2], DiffusionOperator(torch.ones(3, 3)))
    with pytest.raises(ValueError, match="find_n_top_range: `subclasses` must be 3 integers"):
        find_n_top_range(points, labels[:2])
