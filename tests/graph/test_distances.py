import pytest
import torch

from diffresnet.graph.distances import distances_from_gram
from tests.graph.test_weights import random_points


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("offset", [0.0, 100.0])
def test_equals_subtraction(dtype: torch.dtype, offset: float) -> None:
    points = random_points(2, 30, 40).to(dtype) + offset
    points[0, 7] = points[0, 3]
    points[1, 4] = points[1, 5] * (1 + 1e-6)
    found = distances_from_gram(points @ points.mT, points)
    exact = torch.cdist(
        points.double(), points.double(), compute_mode="donot_use_mm_for_euclid_dist"
    )
    torch.testing.assert_close(found.double(), exact, rtol=2e-5, atol=0)
    assert found[0, 7, 3] == 0
