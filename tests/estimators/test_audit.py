from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits

from diffresnet.estimators import DiffResNetClassifier, UnreachedWarning
from diffresnet.estimators.audit import conformal_sets
from diffresnet.estimators.held_out import HeldOut
from tests.estimators.examples import clusters, partly

DIGITS: Any = load_digits()


def draw(n_labels: int, seed: int) -> Any:
    generator = np.random.default_rng(seed)
    labels = np.full(len(DIGITS.target), -1)
    for one in range(10):
        labels[generator.permutation(np.flatnonzero(DIGITS.target == one))[:n_labels]] = one
    return labels


def test_wrong_labels_are_found() -> None:
    labels = draw(20, 0)
    wrong = np.random.default_rng(1).permutation(np.flatnonzero(labels >= 0))[:20]
    labels[wrong] = (labels[wrong] + 3) % 10
    found = DiffResNetClassifier().fit(DIGITS.data, labels).audit()
    assert len(np.intersect1d(found.rows[:20], wrong)) >= 16
    assert (np.diff(found.probabilities) >= 0).all()
    first = found.rows[0]
    assert found.labels[0] == labels[first]
    assert found.expected[0] == DIGITS.target[first]


def test_equal_points_with_different_labels_are_named() -> None:
    points, classes = clusters()
    labels = partly(classes, 4)
    more = np.concatenate([points, points[:1], points[:1]])
    model = DiffResNetClassifier().fit(more, np.r_[labels, 0, 2])
    assert model.audit().contradictions == ((0, 120, 121),)


def test_the_row_that_has_the_label_is_named() -> None:
    points, classes = clusters()
    labels = np.where(np.arange(120) % 3 == 0, classes, -1)
    labels[5] = -1
    model = DiffResNetClassifier().fit(np.r_[points, points[5:6]], np.r_[labels, 2])
    assert model.audit().rows.tolist() == [120]


def test_sets_hold_the_right_class_as_often_as_asked() -> None:
    hits, sizes = [], []
    model = DiffResNetClassifier()
    for seed in range(4):
        labels = draw(5, seed)
        model.fit(DIGITS.data, labels)
        rest = labels == -1
        for coverage in (0.8, 0.9):
            sets = model.predict_set(coverage=coverage)[rest]
            right = sets[np.arange(rest.sum()), DIGITS.target[rest]]
            hits.append((coverage, right.mean()))
            sizes.append(sets.sum(axis=1).mean())
    for coverage in (0.8, 0.9):
        assert np.mean([hit for asked, hit in hits if asked == coverage]) > coverage - 0.03
    assert max(sizes) < 3
    assert model.predict_set(DIGITS.data[:7]).shape == (7, 10)


def test_a_point_that_no_label_reaches_may_be_of_any_class() -> None:
    graph = np.kron(np.eye(3), np.ones((12, 12)))
    labels = np.r_[[0] * 6, [-1] * 6, [1] * 6, [-1] * 18]
    with pytest.warns(UnreachedWarning):
        model = DiffResNetClassifier().fit(None, labels, graph=graph)
    sets = model.predict_set(coverage=0.8)
    assert sets[24:].all()
    assert (sets[:24].sum(axis=1) == 1).all()
    assert model.predict_set(graph[[0, 30]], coverage=0.8).sum(axis=1).tolist() == [1, 2]


def test_held_out_labels_know_the_prior() -> None:
    labels = draw(8, 0)
    even = DiffResNetClassifier().fit(DIGITS.data, labels)
    prior = np.r_[0.82, np.full(9, 0.02)]
    uneven = DiffResNetClassifier(class_prior=prior).fit(DIGITS.data, labels)
    assert len(uneven.audit()) > len(even.audit())
    assert (uneven.audit().expected == 0).any()


def test_the_quantile() -> None:
    probabilities = np.linspace(0.01, 0.99, 99)
    rows = np.arange(99)
    both = np.stack([probabilities, 1 - probabilities], axis=1)
    held_out = HeldOut(rows, np.zeros(99, dtype=np.int64), both)
    points = np.array([[0.105, 0.895], [0.095, 0.905]])
    sets = conformal_sets(points, held_out, np.array([1.0, 0.0]), 0.9)
    assert sets[:, 0].tolist() == [True, False]  # the tenth of 99 is 0.10
    sets = conformal_sets(points, held_out, np.array([1.0, 0.0]), 0.92)
    assert sets[:, 0].tolist() == [True, True]


def test_refusals() -> None:
    points, classes = clusters()
    model = DiffResNetClassifier().fit(points, partly(classes, 2))
    with pytest.raises(ValueError, match="It takes 9 of them"):
        model.predict_set(coverage=0.9)
    everything = DiffResNetClassifier().fit(points, classes)
    assert everything.predict_set(coverage=1e-13).shape == (120, 3)
    with pytest.raises(ValueError, match="below 1"):
        model.predict_set(coverage=1.0)
    with pytest.raises(ValueError, match="Label a second point"):
        DiffResNetClassifier().fit(points, partly(classes)).audit()
    with pytest.raises(ValueError, match="solver='mixture'"):
        DiffResNetClassifier(solver="kernel").fit(points, partly(classes, 2)).audit()


def test_copies_of_which_one_is_the_only_label_of_its_class() -> None:
    points, classes = clusters()
    points = np.concatenate([points, np.repeat(points[:1], 20, axis=0)])
    labels = np.concatenate([partly(classes, 3), np.zeros(20)]).astype(np.int64)
    labels[-1] = 7
    model = DiffResNetClassifier().fit(points, labels)
    assert 7 in model.classes_
    (rows,) = model.audit().contradictions
    assert set(range(120, 140)) <= set(rows)


def test_equal_points_with_different_labels_are_named_where_none_can_be_held_out() -> None:
    points, _ = clusters()
    points[1:4] = points[0]
    labels = np.full(len(points), -1)
    labels[[0, 1, 2, 40]] = [0, 0, 1, 1]
    with pytest.warns(UnreachedWarning):
        model = DiffResNetClassifier().fit(points, labels)
    assert model.solution_.held_out is None
    found = model.audit()
    assert len(found) == 0
    assert found.contradictions == ((0, 1, 2),)
