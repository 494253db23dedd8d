from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits

from diffresnet.estimators import DiffResNetClassifier
from diffresnet.estimators.accuracy import (
    drawn_at_random,
    expect_accuracy,
    find_proportions,
    find_seen_part,
)
from diffresnet.estimators.held_out import HeldOut
from diffresnet.measuring.statistics import wilson_interval
from tests.estimators.examples import clusters, partly


def test_the_interval_is_wilsons_of_fewer_cases() -> None:
    right = np.r_[np.ones(45), np.zeros(15)]
    found = expect_accuracy(right, np.ones(60), 0.85, 1.0)
    assert found.interval == pytest.approx(wilson_interval(0.8, 40))
    assert found.value == pytest.approx((60 * 0.8 + 1) / 62)
    assert expect_accuracy(right, np.ones(60), None, 1.0).interval == pytest.approx(
        wilson_interval(0.75, 40)
    )
    assert expect_accuracy(right, np.ones(60), 0.85, 0.5).interval == pytest.approx(
        wilson_interval(0.4, 40)
    )


def test_weights_make_classes_as_common_as_they_are() -> None:
    # The first ten labels stand for nine tenths of the points.
    right, weights = np.r_[np.ones(10), np.zeros(10)], np.r_[np.full(10, 9.0), np.ones(10)]
    found = expect_accuracy(right, weights, None, 1.0)
    n_cases = 100**2 / (10 * 81 + 10)
    assert found.interval == pytest.approx(wilson_interval(0.9, n_cases / 1.5))


def test_single_labels_of_random_draws_are_not_seen() -> None:
    encoded = np.r_[np.repeat([0, 1, 2], [9, 4, 1]), [-1] * 5]
    assert find_seen_part(encoded, 3, at_random=True) == pytest.approx(13 / 14)
    assert find_seen_part(encoded, 3, at_random=False) == 1
    assert drawn_at_random(encoded, 3, "auto")
    assert drawn_at_random(encoded, 3, "random")
    assert not drawn_at_random(encoded, 3, "per class")
    assert not drawn_at_random(np.repeat([0, 1, 2], 3), 3, "auto")


def test_labels_drawn_at_random_weigh_the_same() -> None:
    points, classes = clusters()
    labels = np.where(np.arange(120) % 4 == 0, classes, -1)
    labels[:36] = -1
    model = DiffResNetClassifier(label_sampling="random").fit(points, labels)
    held_out = HeldOut(np.arange(5), np.array([0, 0, 1, 1, 1]), np.full((5, 3), 1 / 3))
    same = held_out.weights(find_proportions(held_out, model.solution_, at_random=True))
    assert same == pytest.approx(np.full(5, 0.2))
    found = held_out.weights(find_proportions(held_out, model.solution_, at_random=False))
    means = model.solution_.probabilities.mean(axis=0)
    assert found == pytest.approx(np.r_[[means[0] / 2] * 2, [means[1] / 3] * 3])


@pytest.mark.parametrize("n_labels", [3, 10])
def test_what_is_expected_comes_true(n_labels: int) -> None:
    digits: Any = load_digits()
    model, n_inside, errors = DiffResNetClassifier(), 0, list[float]()
    for seed in range(4):
        generator = np.random.default_rng(seed)
        rows = generator.permutation(len(digits.target))[:900]
        points, truth = digits.data[rows], digits.target[rows]
        labels = partly(truth, n_labels)
        found = model.fit(points, labels).diagnose()
        right = float((model.transduction_ == truth)[labels == -1].mean())
        assert found.expected_accuracy is not None
        assert found.expected_accuracy_interval is not None
        low, high = found.expected_accuracy_interval
        n_inside += low <= right <= high
        errors.append(found.expected_accuracy - right)
    assert n_inside >= 3
    assert abs(np.mean(errors)) < 0.08


def test_nothing_is_expected_where_nothing_can_be_held_out() -> None:
    points, classes = clusters()
    for model in (DiffResNetClassifier(), DiffResNetClassifier(solver="kernel")):
        found = model.fit(points, partly(classes)).diagnose()
        assert found.expected_accuracy is None
        assert found.expected_accuracy_interval is None
        assert "held-out" not in " ".join(found.sentences[:-1])
    assert DiffResNetClassifier().fit(points, classes).diagnose().expected_accuracy is None
