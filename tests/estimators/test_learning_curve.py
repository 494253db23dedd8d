from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits

from diffresnet.estimators import DiffResNetClassifier, LearningCurve
from diffresnet.estimators.learning_curve import extrapolate_gain
from tests.estimators.examples import clusters, partly


@pytest.mark.parametrize("exponent", [0.25, 0.5, 1.0])
def test_a_power_law_is_found_again(exponent: float) -> None:
    sizes = [10, 20, 30, 40]
    curve = [0.9 - 0.8 * size**-exponent for size in sizes]
    exact = [(value - 1e-4, value + 1e-4) for value in curve]
    expected = 0.8 * (40**-exponent - 80**-exponent)
    assert extrapolate_gain(sizes, curve, exact) == pytest.approx(expected, abs=1e-4)


def test_bounds_of_the_power_law() -> None:
    wide = [(0.4, 0.6)] * 3
    assert extrapolate_gain([10, 20, 30], [0.6, 0.5, 0.4], wide) == 0
    assert 0 < extrapolate_gain([10, 20, 30], [0.1, 0.5, 0.97], wide) <= 0.45
    assert extrapolate_gain([30], [0.7], wide[:1]) == 0


def test_a_curve_of_digits() -> None:
    digits: Any = load_digits()
    points, truth = digits.data[:900], digits.target[:900]
    labels = partly(truth, 8)
    model = DiffResNetClassifier().fit(points, labels)
    before = model.label_distributions_.copy()
    found = model.learning_curve()
    assert found.n_labels == (20, 40, 60, 80)
    right = float((model.transduction_ == truth)[labels == -1].mean())
    assert found.interval[-1][0] < right < found.interval[-1][1]
    assert all(0.8 < value < 1 for value in found.accuracy)
    assert found.accuracy[-1] <= found.expected_at_double <= 1
    diagnosis = model.diagnose(found)
    assert diagnosis.expected_accuracy == found.accuracy[-1]
    assert diagnosis.expected_accuracy_interval == found.interval[-1]
    assert set(found.sentences) <= set(diagnosis.sentences)
    assert np.array_equal(model.label_distributions_, before)
    assert model.learning_curve() == found


def test_classes_keep_a_label() -> None:
    points, classes = clusters(4)
    labels = partly(classes, 2)
    labels[np.flatnonzero(labels == 3)[1]] = -1
    found = DiffResNetClassifier().fit(points, labels).learning_curve()
    assert found.n_labels[-1] == 7
    assert all(4 <= size < 7 for size in found.n_labels[:-1])
    everything = DiffResNetClassifier().fit(points, classes).learning_curve()
    assert everything.n_labels == (40, 80, 120, 160)


def test_in_words() -> None:
    curve = LearningCurve((10, 40), (0.5, 0.753), ((0.3, 0.7), (0.6, 0.9)), 0.81)
    assert str(curve) == (
        "The accuracy to expect, by the number of labels: 50% with 10, 75% with 40.\n"
        "Twice the labels would help: some 81% would be right."
    )
    flat = LearningCurve((10, 40), (0.75, 0.753), ((0.3, 0.7), (0.6, 0.9)), 0.76)
    assert flat.sentences[1] == "Twice the labels would hardly help: some 76% would be right."


def test_refusals() -> None:
    points, classes = clusters()
    with pytest.raises(ValueError, match=r"learning_curve.*Label a second point"):
        DiffResNetClassifier().fit(points, partly(classes)).learning_curve()
    with pytest.raises(ValueError, match=r"learning_curve.*solver='mixture'"):
        DiffResNetClassifier(solver="kernel").fit(points, partly(classes, 3)).learning_curve()


def test_few_labels_give_no_verdict() -> None:
    wide = LearningCurve((2, 4), (0.75, 0.68), ((0.2, 0.98), (0.25, 0.97)), 0.68)
    assert wide.sentences[1].startswith("So few labels do not tell")
    narrow = LearningCurve((20, 40), (0.85, 0.88), ((0.7, 0.9), (0.8, 0.95)), 0.88)
    assert narrow.sentences[1] == "Twice the labels would hardly help: some 88% would be right."
