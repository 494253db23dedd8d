import math

import pytest
import torch

from diffresnet.theory import build_point_flow


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("width", [1, 3, 16])
def test_every_point_gets_to_the_level_of_its_class(
    dtype: torch.dtype, width: int, generator: torch.Generator
) -> None:
    for n_points, n_features, n_classes in ((2, 2, 2), (9, 2, 2), (20, 5, 4), (30, 64, 3)):
        points = torch.randn(n_points, n_features, generator=generator, dtype=dtype)
        labels = torch.arange(n_points) % n_classes
        flow = build_point_flow(points, labels, width)
        assert flow.report.n_layers == len(flow.network) == math.ceil(n_points / width)
        assert flow.report.n_variables == 2 * n_points + 2 * n_features
        assert flow.report.separates
        assert torch.equal(flow.predict(points), labels)
        with torch.no_grad():
            heights = flow.network(points) @ (flow.classifier.weight[1] - flow.classifier.weight[0])
        for label in range(n_classes):
            mine = heights[labels == label]
            assert float(mine.max() - mine.min()) < 1e-2 * float(heights.max() - heights.min())


def test_bad_input() -> None:
    points, labels = torch.tensor([[0.0, 1.0], [0.0, 1.0]]), torch.tensor([0, 1])
    with pytest.raises(ValueError, match="build_point_flow: `points` must be different from each"):
        build_point_flow(points, labels)
    with pytest.raises(ValueError, match="build_point_flow: `points` must be of two features or"):
        build_point_flow(points[:, :1], labels)
    with pytest.raises(ValueError, match="build_point_flow: `width` must be at least 1, got 0"):
        build_point_flow(points, labels, 0)
