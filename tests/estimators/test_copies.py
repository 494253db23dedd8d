from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits

from diffresnet.estimators import DiffResNetClassifier
from diffresnet.estimators.copies import Copies, digest_rows, order_rows
from tests.estimators.examples import partly

ROWS = np.array([[1.0, 0.0], [2.0, 0.0], [1.0, -0.0], [2.0, 0.0], [3.0, 1.0]])


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_finds_equal_rows(kind: type) -> None:
    found = Copies.of(kind(ROWS))
    assert found.first.tolist() == [0, 1, 4]
    assert found.point.tolist() == [0, 1, 0, 1, 2]
    assert found.n_copies == 2


def test_a_row_whose_class_no_point_would_have_is_a_point_of_its_own() -> None:
    found = Copies.of(ROWS)
    kept = found.keeping_every_class(np.array([0, 0, 1, -1, -1]), 2)
    assert kept.point.tolist() == [0, 1, 2, 1, 3]
    assert found.keeping_every_class(np.array([0, 1, -1, -1, -1]), 2).point.tolist() == [
        *(0, 1, 0, 1, 2)
    ]
    # The first row of a point leaves it to the next.
    led = Copies(np.array([0]), np.zeros(4, dtype=np.int64))
    assert led.keeping_every_class(np.array([1, 0, 0, -1]), 2).point.tolist() == [0, 1, 1, 1]
    model = DiffResNetClassifier().fit(np.ones((6, 3)), [0, 1, -1, -1, -1, -1])
    assert model.diagnose().n_copies == 4


def test_one_wrong_label_of_a_copy_does_not_cut_the_others_off() -> None:
    digits: Any = load_digits()
    points, truth = np.repeat(digits.data[:100], 20, axis=0), np.repeat(digits.target[:100], 20)
    labels = np.full(len(truth), -1)
    labels[:1000:20] = truth[:1000:20]
    torn = labels.copy()
    torn[:3], torn[3] = truth[0], 99
    plain, model = (DiffResNetClassifier().fit(points, one) for one in (labels, torn))
    right = [(one.transduction_ == truth)[labels == -1].mean() for one in (plain, model)]
    assert right[1] > right[0] - 0.05
    assert model.transduction_[3] == 99


def test_labels_of_copies_are_one() -> None:
    found = Copies.of(ROWS)
    assert found.merge(np.array([-1, 1, 0, -1, 1]), 2).tolist() == [0, 1, 1]
    assert found.merge(np.array([0, 1, -1, 1, 0]), 2).tolist() == [0, 1, 0]
    with pytest.raises(ValueError, match="rows 2 and 0"):
        found.merge(np.array([0, 0, 1, -1, -1]), 2)


def test_values_of_copies_are_their_mean() -> None:
    given = np.array([1.0, np.nan, 4.0, np.nan, 7.0])
    assert np.array_equal(Copies.of(ROWS).average(given), [2.5, np.nan, 7], equal_nan=True)
    assert np.array_equal(Copies.none(5).average(given), given, equal_nan=True)


def test_copies_change_nothing() -> None:
    digits: Any = load_digits()
    points, truth = digits.data[:600], digits.target[:600]
    labels = partly(truth, 2)
    copied = np.repeat(np.arange(6), 60)
    more = np.concatenate([points, points[copied]])
    both = np.concatenate([labels, np.full(len(copied), -1)])
    plain = DiffResNetClassifier().fit(points, labels)
    model = DiffResNetClassifier().fit(more, both)
    assert np.array_equal(model.transduction_[:600], plain.transduction_)
    assert np.array_equal(model.transduction_[600:], plain.transduction_[copied])
    assert model.embedding_.shape[0] == len(model.reached_) == len(more)
    assert "Rows that repeat others, exactly or but for rounding: 360." in str(model.diagnose())
    suggested = model.suggest(20)
    assert suggested.max() < 600
    model.update_labels([700], [int(truth[copied[100]])])
    assert model.transduction_[copied[100]] == truth[copied[100]]


def circle(n_points: int) -> Any:
    angle = 2 * np.pi * np.arange(n_points) / n_points
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def test_finds_rows_that_differ_by_rounding() -> None:
    generator = np.random.default_rng(0)
    points = generator.standard_normal((300, 40)).astype(np.float32)
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    half = points[:50].astype(np.float16).astype(np.float32)
    found = Copies.near(np.r_[points, half], np.ones(350))
    assert found.first.tolist() == list(range(300))
    assert found.point.tolist() == [*range(300), *range(50)]
    far = Copies.near(np.r_[points, half], np.r_[np.ones(300), np.full(50, 1.1)])
    assert far.n_copies == 0


def test_a_line_of_points_does_not_become_one() -> None:
    found = Copies.near(circle(20_000), np.ones(20_000))  # neighbors are 0.0003 apart
    assert found.n_copies == 0
    assert Copies.near(circle(600), np.ones(600)).n_copies == 0


def test_one_after_the_other() -> None:
    found = Copies.of(ROWS).then(Copies(np.array([0, 1]), np.array([0, 1, 0])))
    assert found.first.tolist() == [0, 1]
    assert found.point.tolist() == [0, 1, 0, 1, 0]


@pytest.mark.parametrize("noise", [1e-6, 1e-4])
def test_near_copies_change_next_to_nothing(noise: float) -> None:
    digits: Any = load_digits()
    points, truth = digits.data, digits.target
    labels = partly(truth, 3)
    generator = np.random.default_rng(0)
    copied = np.repeat(generator.permutation(len(truth))[:17], 60)
    blurred = points[copied] + noise * points.std() * generator.standard_normal((len(copied), 64))
    plain = DiffResNetClassifier().fit(points, labels)
    model = DiffResNetClassifier().fit(
        np.r_[points, blurred], np.r_[labels, np.full(len(copied), -1)]
    )
    right = [(one.transduction_[: len(truth)] == truth).mean() for one in (plain, model)]
    assert abs(right[0] - right[1]) < 0.01
    assert np.array_equal(model.transduction_[len(truth) :], model.transduction_[copied])
    assert "Rows that repeat others, exactly or but for rounding: 1,020." in str(model.diagnose())


def test_near_copies_with_different_labels_are_named() -> None:
    digits: Any = load_digits()
    points, labels = digits.data[:300], partly(digits.target[:300], 3)
    first = int(np.flatnonzero(labels == 0)[0])
    more = np.r_[points, points[first] + 1e-5 * np.arange(1, 7)[:, None]]
    model = DiffResNetClassifier().fit(more, np.r_[labels, 1, [-1] * 5])
    assert model.audit().contradictions == ((first, 300),)
    # A class that only a copy has is kept: then that copy is a point of its own.
    given = np.r_[labels, 10, [-1] * 5]
    kept = DiffResNetClassifier().fit(more, given)
    assert kept.diagnose().n_copies == 5
    assert kept.transduction_[[first, 300]].tolist() == [0, 10]
    # A few near copies do no harm, and stay what they are.
    assert DiffResNetClassifier().fit(more[:303], given[:303]).diagnose().n_copies == 0


def order_of(rows: Any, encoded: Any = None) -> Any:
    return order_rows(rows, digest_rows(rows), encoded)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_rows_have_an_order_by_what_they_are(kind: type) -> None:
    rows = np.random.default_rng(0).normal(size=(50, 6)).round(1)
    moved = np.random.default_rng(1).permutation(50)
    expected = rows[order_of(rows)]
    np.testing.assert_array_equal(rows[moved][order_of(kind(rows[moved]))], expected)
    np.testing.assert_array_equal(rows[order_of(kind((1000 * rows).astype(np.float32)))], expected)


def test_rows_of_one_place_have_an_order_too() -> None:
    huge = np.array([[1e308, 1e308], [2.0, 3.0], [1e308, -1e308], [-1e308, 1.7e308]]) * [[1, -1]]
    moved = np.array([3, 1, 0, 2])
    np.testing.assert_array_equal(huge[moved][order_of(huge[moved])], huge[order_of(huge)])
    alike = np.ones((4, 2))
    assert order_of(alike, np.array([2, -1, 0, 1])).tolist() == [1, 2, 3, 0]


def test_copies_of_ordered_rows_are_those_of_the_rows() -> None:
    order = np.array([4, 2, 0, 3, 1])
    found = Copies.of(ROWS[order]).before(order)
    assert found.point.tolist() == [1, 2, 1, 2, 0]
    assert found.first.tolist() == [4, 0, 1]
    assert found.vote(np.array([0, -1, -1, 1, 2]), 3).tolist() == [2, 0, 1]


def test_without_copies_labels_follow_the_order() -> None:
    found = Copies.none(3).before(np.array([2, 0, 1]))
    assert found.vote(np.array([5, 6, 7]), 8).tolist() == [7, 5, 6]


def test_a_mean_of_values_does_not_depend_on_the_order_of_rows() -> None:
    values = np.array([0.1, 0.2, 0.3, 1e9, 0.7, -1e9])
    means = {
        float(Copies(np.array([0]), np.zeros(6, dtype=np.int64)).average(values[moved])[0])
        for moved in (np.arange(6), np.arange(6)[::-1], np.array([3, 0, 5, 1, 4, 2]))
    }
    assert len(means) == 1
