import numpy as np
import torch

from diffresnet.cluster.shards import Numbering, Plan, find_centers
from tests.cluster.examples import FEATURES

POINTS = torch.nn.functional.normalize(torch.from_numpy(FEATURES), dim=1)


def test_shards_are_about_equal() -> None:
    plan = Plan.make(FEATURES, 6, 0)
    owner, second = plan.assign(plan.space.place(FEATURES)[0])
    sizes = np.bincount(owner, minlength=6)
    assert sizes.min() > 40
    assert sizes.max() < 200
    assert (owner != second).all()


def test_one_shard_has_no_guests() -> None:
    owner, second = Plan.make(FEATURES, 1, 0).assign(POINTS)
    assert set(owner) == {0}
    assert set(second) == {-1}


def test_there_are_no_more_centers_than_points() -> None:
    assert len(find_centers(POINTS[:3], 7, 0)[0]) == 3


def test_weights_of_landmarks_sum_to_one() -> None:
    plan = Plan.make(FEATURES, 2, 0)
    near, weights = plan.guess(POINTS[:50])
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-5)
    assert near.shape == weights.shape == (50, 3)
    assert plan.guess(POINTS[:0])[0].shape == (0, 3)


def test_numbers_of_points_are_those_of_shards_file_by_file() -> None:
    numbering = Numbering(np.array([[2, 0, 1], [1, 3, 0]]), np.zeros((2, 3), int))
    assert numbering.bounds.tolist() == [0, 3, 6, 7]
    assert numbering.starts.tolist() == [[0, 3, 6], [2, 3, 7]]
    assert numbering.in_file(1, 1) == (1, 4)
    assert numbering.of_places(1, np.arange(4)).tolist() == [2, 3, 4, 5]
    assert numbering.of_places(0, np.arange(3)).tolist() == [0, 1, 6]


def test_where_shards_begin_is_computed_once() -> None:
    """Loops over files and shards ask for it each time: of 1,000 each that took hours."""
    numbering = Numbering(np.array([[2, 0, 1], [1, 3, 0]]), np.zeros((2, 3), int))
    assert numbering.starts is numbering.starts
    assert numbering.bounds is numbering.bounds
