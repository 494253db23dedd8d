from collections.abc import Callable

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from diffresnet import DiffusionOperator
from diffresnet.theory import distance_diameter_ratio, max_diameter, min_distance, structure
from tests import reference


def test_equals_the_program_on_xor(
    reference_numbers: Callable[[str], dict[str, NDArray[np.float64]]],
) -> None:
    xor = reference_numbers("xor.npz")
    subclasses = np.arange(400) // 100
    operator = DiffusionOperator(xor["weights"])
    states = operator.states(xor["points"], 1.0, xor["at_steps"].tolist())
    found = [(min_distance(state, subclasses), max_diameter(state, subclasses)) for state in states]
    np.testing.assert_allclose([low for low, _ in found], xor["min_distance"], rtol=1e-9)
    np.testing.assert_allclose([high for _, high in found], xor["max_diameter"], rtol=1e-6)


@pytest.mark.parametrize("block_size", [1, 50, 2**22])
def test_equals_loops(block_size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(structure, "BLOCK_SIZE", block_size)
    generator = torch.Generator().manual_seed(0)
    points = torch.randn(30, 3, generator=generator)
    groups = torch.randint(0, 4, (30,), generator=generator)
    rows = points.double().tolist()
    pairs = [(reference.distance(rows[i], rows[j]), i, j) for i in range(30) for j in range(i)]
    low = min(d for d, i, j in pairs if groups[i] != groups[j])
    high = max(d for d, i, j in pairs if groups[i] == groups[j])
    assert min_distance(points, groups) == pytest.approx(low)
    assert max_diameter(points, groups) == pytest.approx(high)
    assert distance_diameter_ratio(points, groups) == pytest.approx(low / high)


def test_limits() -> None:
    points = torch.tensor([[0.0], [2.0]])
    assert min_distance(points, torch.tensor([0, 0])) == float("inf")
    assert max_diameter(points, torch.tensor([0, 1])) == 0
    assert distance_diameter_ratio(points, torch.tensor([0, 1])) == float("inf")


def test_bad_input() -> None:
    points = torch.zeros(2, 1)
    with pytest.raises(ValueError, match="min_distance: `points` must be of shape"):
        min_distance(points.unsqueeze(0), torch.tensor([0, 1]))
    with pytest.raises(ValueError, match="min_distance: `subclasses` must be 2 integers, one a"):
        min_distance(points, torch.tensor([0, 1, 2]))
    with pytest.raises(ValueError, match="max_diameter: `subclasses` must be 2 integers, one a"):
        max_diameter(points, torch.tensor([0.5, 1]))
    with pytest.raises(ValueError, match="distance_diameter_ratio: `points` must be apart"):
        distance_diameter_ratio(points, torch.tensor([0, 1]))
