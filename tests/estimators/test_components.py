import numpy as np
import pytest
import torch
from sklearn.datasets import make_circles

from diffresnet.estimators import DiffResNetClassifier
from diffresnet.estimators.components import (
    fit_penalty,
    score_components,
    score_held_out,
)
from diffresnet.estimators.held_out import HeldOut
from diffresnet.learning.labels import Labels


def test_one_component_says_nothing() -> None:
    labels = Labels(torch.tensor([0, 1]), torch.tensor([0, 1]), 2)
    assert score_components(np.zeros(4, dtype=np.int32), labels) is None
    assert score_components(np.array([0, 0, 1, 1]), labels) is None


def test_labels_stay_in_their_component() -> None:
    made = make_circles(300, noise=0.02, factor=0.4, random_state=0)
    points, classes = np.asarray(made[0]), np.asarray(made[1])
    labels = np.full(300, -1)
    labels[[np.flatnonzero(classes == 0)[0], np.flatnonzero(classes == 1)[0]]] = [0, 1]
    model = DiffResNetClassifier().fit(points, labels)
    assert (model.transduction_ == classes).mean() > 0.99
    new = points + 0.001
    assert (model.predict(new) == classes).mean() > 0.99


def test_held_out_labels_are_judged_by_the_others_of_their_component() -> None:
    generator = np.random.default_rng(0)
    components = generator.integers(0, 6, size=60)
    rows = torch.from_numpy(generator.permutation(60)[:20])
    labels = Labels(rows, torch.from_numpy(generator.integers(0, 4, size=20)), 4)
    found = score_held_out(components, labels, 1.0)
    for i in range(20):
        others = torch.arange(20) != i
        fewer = Labels(labels.rows[others], labels.classes[others], 4)
        expected = score_components(components, fewer, 1.0)
        assert expected is not None
        assert np.array_equal(found[i], expected[int(rows[i])].numpy())


def test_labels_that_deny_the_components_lower_the_penalty() -> None:
    classes = np.array([0, 0, 0, 1])
    held_out = HeldOut(np.arange(4), classes, np.full((4, 2), 0.5))
    added = np.array([[0.0, -5.0], [0.0, -5.0], [0.0, -5.0], [-5.0, 0.0]])
    assert fit_penalty(held_out, added) == 1
    added[3] = [0.0, -5.0]  # one of four is denied: 3 = exp(5 part) at the most likely part
    assert fit_penalty(held_out, added) == pytest.approx(0.2)
    assert fit_penalty(held_out, -added) == 0  # none is confirmed


def noisy_components(noise: float, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a graph of 30 components, of which most points have one class; classes; labels."""
    generator = np.random.default_rng(seed)
    components = np.repeat(np.arange(30), 20)
    is_other = generator.random(600) < noise
    classes = generator.integers(0, 3, 30)[components]
    classes = np.where(is_other, generator.integers(0, 3, 600), classes)
    linked = (components[:, None] == components) & (generator.random((600, 600)) < 0.6)
    linked = np.triu(linked, 1)
    labels = np.full(600, -1)
    drawn = generator.permutation(600)[:60]
    labels[drawn] = classes[drawn]
    return (linked | linked.T).astype(float), classes, labels


@pytest.mark.filterwarnings("ignore::diffresnet.estimators.UnreachedWarning")
def test_confidence_is_honest_where_components_are_not_the_classes() -> None:
    confidences, accuracies, covered = list[float](), list[float](), list[float]()
    for seed in range(3):
        graph, classes, labels = noisy_components(0.4, seed)
        model = DiffResNetClassifier(label_sampling="random").fit(None, labels, graph=graph)
        rest = (labels == -1) & model.reached_
        probabilities = model.label_distributions_[rest]
        confidences.append(float(probabilities.max(axis=1).mean()))
        accuracies.append(float((probabilities.argmax(axis=1) == classes[rest]).mean()))
        sets = model.predict_set(coverage=0.9)
        covered.append(float(sets[np.arange(600), classes][rest].mean()))
    assert abs(np.mean(confidences) - np.mean(accuracies)) < 0.1
    assert np.mean(covered) > 0.86
