import pytest
import torch

from diffresnet.paper.one_hinge import build_one_hinge_flow
from diffresnet.theory import build_flow, find_separating_direction
from tests.theory.examples import integer, structured


def count_separated(n_sets: int) -> tuple[int, int]:
    """Count the sets that the paper's construction separates, and those that ours does."""
    theirs = ours = 0
    for seed in range(n_sets):
        generator = torch.Generator().manual_seed(seed)
        data, labels = structured(generator)
        width = integer(1, 16, generator)
        given = data.points, data.subclasses, labels, width
        found = find_separating_direction(data.points, data.subclasses)
        one = build_one_hinge_flow(*given, found)
        assert one.report.n_layers == -(-len(found.order) // width)
        theirs += one.report.separates
        ours += build_flow(*given, found=found).report.separates
    return theirs, ours


def test_one_hinge_a_region_fails_where_two_a_change_do_not() -> None:
    theirs, ours = count_separated(12)
    assert theirs < ours == 12


@pytest.mark.slow
def test_one_hinge_on_200_sets() -> None:
    theirs, ours = count_separated(200)
    print(f"one hinge a region separates {theirs} of 200, two a change {ours}")  # noqa: T201
    assert theirs < 200
    assert ours == 200


def test_one_point_a_region_is_separated(generator: torch.Generator) -> None:
    """With one point a region the proof is right (Lemma 2)."""
    points = torch.randn(6, 3, generator=generator, dtype=torch.float64)
    labels = torch.tensor([0, 1, 0, 1, 1, 0])
    found = find_separating_direction(points, torch.arange(6))
    assert build_one_hinge_flow(points, torch.arange(6), labels, 2, found).report.n_layers == 3
