import json
import math
from itertools import pairwise

import pytest
import torch

from diffresnet.theory import Flow, build_flow, find_separating_direction
from tests.theory.examples import integer, structured


def check_flow(seed: int, dtype: torch.dtype) -> Flow:
    """Build a flow for a random set, and see that it is as Theorem 1 says."""
    generator = torch.Generator().manual_seed(seed)
    data, labels = structured(generator)
    width = integer(1, 16, generator)
    points = data.points.to(dtype)
    found = find_separating_direction(points, data.subclasses)
    flow = build_flow(points, data.subclasses, labels, width, found=found)
    report = flow.report
    first = {int(s): int(c) for s, c in zip(data.subclasses, labels, strict=True)}
    along = [first[name] for name in found.order]
    n_changes = sum(a != b for a, b in pairwise(along))
    assert report.n_hinges == 2 * n_changes
    assert report.n_layers == len(flow.network) == math.ceil(2 * n_changes / width)
    assert report.n_variables == 4 * n_changes + 2 * points.shape[1]
    hidden = [parameter for parameter in flow.network.parameters() if parameter.ndim == 2]
    assert all(width in parameter.shape and parameter.dtype == dtype for parameter in hidden)
    assert torch.equal(flow.predict(points), labels)
    assert report.separates
    assert report.margin > 0
    return flow


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_separates_random_sets(dtype: torch.dtype) -> None:
    for seed in range(12):
        check_flow(seed, dtype)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_separates_200_random_sets(dtype: torch.dtype) -> None:
    for seed in range(200):
        check_flow(seed, dtype)


def test_regions_move_without_a_change_of_shape(generator: torch.Generator) -> None:
    data, labels = structured(generator)
    flow = build_flow(data.points, data.subclasses, labels, width=3)
    with torch.no_grad():
        moves = flow.network(data.points) - data.points
    for group in data.subclasses.unique():
        mine = moves[data.subclasses == group]
        assert float((mine - mine[0]).norm(dim=1).max()) < 1e-9


def test_a_linear_classifier_alone_fails_on_xor() -> None:
    points = torch.tensor([[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0]], dtype=torch.float64)
    labels = torch.tensor([3, 3, 8, 8])
    flow = build_flow(points, torch.arange(4), labels, width=1)
    assert flow.classes == (3, 8)
    with torch.no_grad():
        raw = flow.classifier(points).argmax(dim=1)
    assert not torch.equal(torch.tensor(flow.classes)[raw], labels)
    assert torch.equal(flow.predict(points), labels)


def test_one_class_needs_no_layer() -> None:
    for n_features in (1, 3):
        points = torch.randn(6, n_features, generator=torch.Generator().manual_seed(0))
        groups, labels = torch.arange(6), torch.full((6,), 4)
        flow = build_flow(points, groups, labels, width=2)
        assert (flow.report.n_layers, flow.report.n_hinges, len(flow.network)) == (0, 0, 0)
        assert flow.predict(points).tolist() == [4] * 6
        assert json.loads(json.dumps(flow.report.to_json()))["margin"] is None


def test_bad_input() -> None:
    points, groups = torch.tensor([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]]), torch.tensor([0, 1, 1])
    with pytest.raises(ValueError, match="build_flow: `width` must be at least 1, got 0"):
        build_flow(points, groups, groups, width=0)
    with pytest.raises(ValueError, match="build_flow: `labels` must be the same within a subclass"):
        build_flow(points, groups, torch.tensor([0, 1, 2]), width=1)
    with pytest.raises(ValueError, match="build_flow: `points` must be of two features or more"):
        build_flow(points[:, :1], groups, groups, width=1)
    with pytest.raises(ValueError, match="build_flow: `points` must be such that some direction p"):
        build_flow(points, torch.tensor([0, 1, 2]), torch.tensor([0, 1, 0]), width=1)


def test_a_direction_of_other_points_is_refused() -> None:
    points, subclasses = torch.tensor([[0.0, 0.0], [3.0, 1.0], [9.0, 2.0]]), torch.arange(3)
    found = find_separating_direction(points, subclasses)
    for others in (subclasses + 10, subclasses.flip(0)):
        with pytest.raises(ValueError, match="`found` must be the direction of these points"):
            build_flow(points, others, torch.tensor([0, 1, 0]), 2, found=found)


def test_tiny_points_in_single_precision() -> None:
    points = 1e-25 * torch.tensor([[0.0, 0.0], [3.0, 1.0], [9.0, 2.0]])
    assert build_flow(points, torch.arange(3), torch.tensor([0, 1, 0]), 2).report.separates
