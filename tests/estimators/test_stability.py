import torch

from diffresnet.estimators.directions import find_directions
from diffresnet.estimators.stability import (
    measure_stability,
    scale_from_stability,
    share_from_stability,
    sharper,
)
from tests.estimators.directions_examples import labels, view


def test_stability_of_clusters_and_of_noise() -> None:
    sample, generator = torch.arange(120), torch.Generator().manual_seed(0)
    found: list[float] = []
    for noise in (0.1, 5.0):
        seen = view(noise)
        directions = find_directions(seen, labels(1), sample)
        found.append(measure_stability(seen, directions, sample, generator))
    assert found[0] > 0.99
    assert found[1] < 0.9
    assert share_from_stability(0.99) == 1
    assert share_from_stability(0.5) == 0.1
    assert scale_from_stability(0.99, 10) == 1
    assert scale_from_stability(0.5, 40) == 0.125


def test_ten_classes_are_the_measure() -> None:
    assert sharper(2) == sharper(10) == 1
    assert sharper(40) == 2
