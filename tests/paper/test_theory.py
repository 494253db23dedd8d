import json

import pytest
import torch

from diffresnet.paper.theory import REQUIRED, run_theory
from diffresnet.theory import max_diameter


def test_the_examples_show_what_they_should(generator: torch.Generator) -> None:
    result = run_theory(generator)
    numbers = json.loads(json.dumps(result.to_json()))
    assert numbers["xor"]["measured_rate"] == pytest.approx(
        numbers["xor"]["spectral_rate"], rel=0.02
    )
    for bound, found in numbers["xor"]["bounds"].items():
        ratios = result.growth.ratios
        assert found["required_ratio"] == REQUIRED[bound]
        assert ratios[found["step"] - 1] < found["required_ratio"] <= ratios[found["step"]]
        assert found["step"] < found["step_with_ball_factor"]
    assert numbers["directed"]["max_diameter"] > 0.5
    assert numbers["symmetrized"]["max_diameter"] < 1e-4
    end = result.symmetrized.points
    assert max_diameter(end, result.xor.subclasses) == numbers["symmetrized"]["max_diameter"]
    assert numbers["n_wrong"]["one_hinge"] > 0
    assert numbers["n_wrong"]["two_hinges"] == 0
    moved = result.two_hinges.network(result.regions)
    assert torch.allclose(moved[:60], result.regions[:60])
