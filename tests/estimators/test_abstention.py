from typing import Any

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.datasets import load_digits

from diffresnet.estimators import DiffResNetClassifier, UnreachedWarning
from diffresnet.estimators.abstention import abstain_elsewhere, find_threshold
from diffresnet.estimators.held_out import HeldOut
from tests.estimators.examples import clusters, partly


def test_the_bound_is_that_of_a_binomial_law() -> None:
    confidences = np.linspace(0.99, 0.6, 100)
    is_wrong = np.arange(100) % 20 == 19
    both = np.stack([confidences, 1 - confidences], axis=1)
    found = HeldOut(np.arange(100), is_wrong.astype(np.int64), both)
    proportions = np.array([0.95, 0.05])  # as among the labels: all weigh the same
    for error_rate in (0.04, 0.08, 0.12):
        # Errors as few as these have a probability of a fifth or less if the rate is just that.
        allowed = [n for n in range(1, 101) if binom.cdf(n // 20, n, error_rate) <= 0.2]
        midway = (confidences + np.append(confidences[1:], 0.5)) / 2
        expected = midway[max(allowed) - 1] if allowed else np.inf
        assert find_threshold(found, proportions, error_rate) == pytest.approx(expected)


def test_equal_probabilities_are_answered_together() -> None:
    both = np.tile([0.9, 0.1], (60, 1))
    proportions = np.array([2 / 3, 1 / 3])
    found = HeldOut(np.arange(60), np.r_[np.zeros(40), np.ones(20)].astype(np.int64), both)
    assert find_threshold(found, proportions, 0.1) == np.inf
    assert find_threshold(found, proportions, 0.5) == pytest.approx(0.7)


@pytest.mark.parametrize("noise", [0.0, 6.0])
@pytest.mark.parametrize("error_rate", [0.05, 0.1])
def test_answers_are_wrong_as_seldom_as_asked(noise: float, error_rate: float) -> None:
    digits: Any = load_digits()
    points = digits.data + noise * np.random.default_rng(0).standard_normal(digits.data.shape)
    labels = np.full(len(digits.target), -1)
    model, errors, answered = DiffResNetClassifier(), list[float](), list[float]()
    for seed in range(5):
        drawn = np.random.default_rng(seed).permutation(len(labels))[:120]
        labels = np.full(len(labels), -1)
        labels[drawn] = digits.target[drawn]
        if seed == 0:
            model.fit(points, labels)
        model.update_labels(np.arange(len(labels)), labels)
        found = model.predict_or_abstain(error_rate=error_rate)
        assert np.array_equal(found[drawn], digits.target[drawn])
        has_answer = (labels == -1) & (found != -1)
        errors.append(float((found != digits.target)[has_answer].mean()) if any(has_answer) else 0)
        answered.append(float(has_answer.sum() / (labels == -1).sum()))
    assert np.mean(errors) < error_rate
    assert np.mean(answered) > (0.85 if noise == 0 else 0.1)


def test_what_stands_for_no_answer() -> None:
    some = np.array([True, False])
    assert abstain_elsewhere(np.array([1.5, 2.5]), some, None).tolist() == [1.5, -1]
    assert abstain_elsewhere(np.array([1, 2]), some, None).dtype.kind == "i"
    assert abstain_elsewhere(np.array([1, 2], dtype=np.uint8), some, None).tolist() == [1, -1]
    assert abstain_elsewhere(np.array([False, True]), some, None).tolist() == [False, None]
    assert abstain_elsewhere(np.array(["a", "b"]), some, None).tolist() == ["a", ""]
    assert abstain_elsewhere(np.array([1, 2]), some, "?").tolist() == [1, "?"]


def test_new_points_and_points_out_of_reach() -> None:
    graph = np.kron(np.eye(3), np.ones((24, 24)))
    labels = np.full(72, "", dtype=object)
    labels[:20], labels[24:44] = "a", "b"
    with pytest.warns(UnreachedWarning):
        model = DiffResNetClassifier().fit(None, labels, graph=graph)
    found = model.predict_or_abstain(error_rate=0.5)
    assert found.tolist() == ["a"] * 24 + ["b"] * 24 + [""] * 24
    assert model.predict_or_abstain(graph[[0, 30, 60]], 0.5).tolist() == ["a", "b", ""]
    assert model.predict_or_abstain(graph[[60]], 0.5, abstain="?").tolist() == ["?"]


def test_refusals() -> None:
    points, classes = clusters()
    model = DiffResNetClassifier().fit(points, partly(classes, 10))
    assert (model.predict_or_abstain(error_rate=0.06) == classes).all()
    with pytest.raises(ValueError, match=r"high enough for 30 labels .* got 0.05. It takes 32 of"):
        model.predict_or_abstain()
    with pytest.raises(ValueError, match=r"`error_rate` must be below 1, got 1. Take 0.05"):
        model.predict_or_abstain(error_rate=1)
    with pytest.raises(ValueError, match="`error_rate` must be a finite positive number"):
        model.predict_or_abstain(error_rate=0)
    with pytest.raises(ValueError, match=r"high enough for 30 labels .* It takes 1000000000000000"):
        model.predict_or_abstain(error_rate=5e-324)
    with pytest.raises(ValueError, match=r"predict_or_abstain.*Label a second point"):
        DiffResNetClassifier().fit(points, partly(classes)).predict_or_abstain()
