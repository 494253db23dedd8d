import json

import numpy as np
import pytest
import torch

from diffresnet.datasets import make_xor
from diffresnet.theory import analyze, ball_factor, required_ratio


def test_xor(generator: torch.Generator) -> None:
    data = make_xor(generator)
    found = analyze(data.points, data.labels, n_top=10)
    assert found.subclasses.are_structured
    assert found.n_top_range.low <= 10 <= found.n_top_range.high
    assert found.n_closed_classes == 4
    assert found.stability.is_convex
    assert 0 < found.min_hull_distance <= found.subclasses.min_distance
    for one in found.reached:
        assert one.required == ball_factor(2) * required_ratio(4, 2, one.bound)
        assert one.step is not None
        assert found.growth.ratios[one.step] >= one.required > found.growth.ratios[one.step - 1]
    assert found.diffused.step < len(found.growth.ratios) < 500
    assert found.diffused.step == found.reached[-1].step
    assert found.diffused.direction.found
    assert found.diffused.flow is not None
    assert found.diffused.flow.separates
    numbers = json.loads(json.dumps(found.to_json()))
    assert numbers["is_structured"] is True
    assert len(numbers["distance_diameter_ratio"]) == len(found.growth.max_diameters)
    assert numbers["diffused"]["flow"]["n_wrong"] == 0
    assert numbers["n_top_range"] == {"low": found.n_top_range.low, "high": found.n_top_range.high}


def test_coinciding_points_of_two_classes() -> None:
    points = torch.zeros(4, 2)
    found = analyze(points, torch.tensor([0, 0, 1, 1]), n_top=2, n_steps=3)
    assert found.subclasses.min_distance == 0
    assert not found.raw.direction.found
    assert found.raw.flow is None
    json.dumps(found.to_json())


def test_one_class_and_one_point_a_subclass() -> None:
    points = torch.tensor([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0]])
    found = analyze(points, torch.tensor([1, 1, 1]), n_top=1, n_steps=2)
    assert found.subclasses.n_subclasses == 3
    assert [one.step for one in found.reached] == [0, 0, 0]
    assert found.raw.flow is not None
    assert found.raw.flow.n_layers == 0
    alone = analyze(points, torch.tensor([1, 1, 1]), n_top=3, n_steps=2)
    assert alone.subclasses.n_subclasses == 1
    assert alone.min_hull_distance == float("inf")
    assert alone.to_json()["min_distance"] == [None] * 3


def test_one_feature() -> None:
    points = torch.tensor([[0.0], [1.0], [10.0], [11.0], [20.0], [21.0]])
    found = analyze(points, torch.tensor([0, 0, 1, 1, 0, 0]), n_top=2, n_steps=4)
    assert found.raw.direction.found
    assert found.raw.flow is not None
    assert found.raw.flow.separates


def test_bad_input() -> None:
    points = torch.zeros(3, 2)
    with pytest.raises(ValueError, match="analyze: `labels` must be 3 integers, one a point"):
        analyze(points, torch.zeros(2, dtype=torch.long))
    with pytest.raises(ValueError, match=r"analyze: `n_top` must be between 1 and the number of p"):
        analyze(points, torch.zeros(3, dtype=torch.long), n_top=4)


def test_pairs_that_would_change_places_draw_together() -> None:
    corners = torch.tensor([[0.0, 0.0], [2.9, 2.9], [0.0, 2.8], [2.8, 0.1]])
    points = torch.cat([corners, corners + torch.tensor([1.0, 0.0])])
    found = analyze(points, torch.tensor([0, 0, 1, 1] * 2), n_top=2)
    assert not found.stability.oscillates
    assert found.stability.is_convex
    assert all(one.step is not None for one in found.reached)


def test_labels_must_be_known_numbers() -> None:
    points = torch.tensor([[0.0], [1.0]])
    with pytest.raises(ValueError, match="analyze: `labels` must be known for every point"):
        analyze(points, torch.tensor([0, -1]), n_top=1)
    with pytest.raises(ValueError, match="analyze: `labels` must be 2 integers, one a point, got"):
        analyze(points, np.array(["a", "b"]), n_top=1)
