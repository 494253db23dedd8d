import numpy as np
import pytest

from diffresnet.estimators import DiffResNetClassifier
from diffresnet.estimators.given import take_input
from diffresnet.estimators.placing import FEWEST_NEAR, place

POINTS = np.random.default_rng(0).normal(size=(30, 4))


def n_placed(points: np.ndarray, encoded: np.ndarray | None = None) -> int:
    model = DiffResNetClassifier()
    given = take_input(model, points, None, None)
    found, copies = place(model, given, n_classes=2, seed=0, encoded=encoded)
    assert len(copies.point) == len(points)
    assert found.operator.n_points == len(copies.first)
    same = [points[copies.first[copies.point[row]]] for row in range(len(points))]
    assert np.allclose(same, points, atol=1e-3)
    return found.operator.n_points


def test_equal_rows_are_one_point() -> None:
    assert n_placed(np.repeat(POINTS, 4, axis=0)) == 30


def test_a_class_whose_only_label_is_a_copy_keeps_a_point() -> None:
    encoded = np.full(60, -1)
    encoded[[0, 1]] = 0, 1
    assert n_placed(np.repeat(POINTS, 2, axis=0), encoded) == 31


@pytest.mark.parametrize(("n_near", "expected"), [(FEWEST_NEAR, 30), (FEWEST_NEAR - 3, 32)])
def test_near_copies_are_one_point_where_they_are_many(n_near: int, expected: int) -> None:
    noise = 1e-5 * np.random.default_rng(1).normal(size=(n_near - 1, 4))
    assert n_placed(np.vstack([POINTS, POINTS[0] + noise])) == expected
