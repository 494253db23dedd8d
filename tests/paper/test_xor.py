import json

import pytest
import torch

from diffresnet.paper.settings import XOR_STEPS
from diffresnet.paper.xor import run_xor
from diffresnet.theory import max_diameter, min_distance


def test_every_subclass_shrinks_and_the_ratio_grows(generator: torch.Generator) -> None:
    result = run_xor(generator)
    assert tuple(result.shown) == XOR_STEPS
    assert result.max_diameters[200] < 1e-3 * result.max_diameters[0]
    for step, points in result.shown.items():
        low, high = min_distance(points, result.data.subclasses), result.min_distances[step]
        assert low == pytest.approx(high)
        diameter = max_diameter(points, result.data.subclasses)
        assert diameter == pytest.approx(result.max_diameters[step])


def test_numbers_for_a_file(generator: torch.Generator) -> None:
    result = run_xor(generator)
    numbers = json.loads(json.dumps(result.to_json()))
    assert numbers["step"] == list(range(201))
    ratio = numbers["min_distance"][7] / numbers["max_diameter"][7]
    assert numbers["distance_diameter_ratio"][7] == ratio
