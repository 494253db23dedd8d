from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits

from diffresnet.estimators import DiffResNetClassifier, UnreachedWarning
from tests.estimators.examples import clusters, partly


def test_a_cluster_without_a_label_comes_soon() -> None:
    points, classes = clusters(4)
    labels = partly(classes)
    labels[classes == 3] = -1
    model = DiffResNetClassifier(n_top=50).fit(points, labels)
    found = model.suggest(5)
    assert 3 in classes[found[:3]]
    assert len(set(found)) == 5
    assert not (labels[found] != -1).any()


def test_components_without_labels_come_first_the_largest_before() -> None:
    graph = np.zeros((12, 12))
    for rows in (range(4), range(4, 7), range(7, 12)):
        for one in rows:
            graph[one, [other for other in rows if other != one]] = 1
    labels = [0, 1, *[-1] * 10]
    with pytest.warns(UnreachedWarning):
        model = DiffResNetClassifier().fit(None, labels, graph=graph)
    found = model.suggest(3)
    assert found[0] in range(7, 12)
    assert found[1] in range(4, 7)
    assert found[2] not in (0, 1)


def test_a_component_is_asked_by_the_point_that_is_like_most_of_it() -> None:
    graph = np.zeros((40, 40))
    graph[0, 1] = graph[1, 0] = 1
    for one in range(2, 9):  # a tail that ends in a clique
        graph[one, one + 1] = graph[one + 1, one] = 1
    graph[9:, 9:] = 1 - np.eye(31)
    with pytest.warns(UnreachedWarning):
        model = DiffResNetClassifier().fit(None, [0, 1, *[-1] * 38], graph=graph)
    assert model.suggest(1)[0] >= 9


def test_the_first_is_like_the_most_points_that_no_label_is_like() -> None:
    points, classes = clusters(3, n_each=30)
    labels = partly(classes)
    model = DiffResNetClassifier().fit(points, labels)
    fitted = model.solution_
    assert fitted.points.points is not None
    point_of = model.copies_.point
    views = [fitted.embedding.numpy()[point_of], fitted.points.points.numpy()[point_of]]
    views[1] = views[1] - views[1].mean(axis=0)
    views[1] /= np.linalg.norm(views[1], axis=1, keepdims=True)
    alike = np.mean([np.maximum(view @ view.T, 0) ** 2 for view in views], axis=0)
    top = np.sort(model.label_distributions_, axis=1)
    worth = 5 / 6 + (1 - top[:, -1] + top[:, -2]) / 6  # one label per class, five are many
    covered = alike[:, labels >= 0].max(axis=1)
    gains = [worth @ np.maximum(alike[:, row] - covered, 0) for row in range(90)]
    free = np.flatnonzero(labels < 0)
    assert model.suggest(1)[0] == free[np.argmax(np.array(gains)[free])]


def test_no_more_than_there_are() -> None:
    points, classes = clusters()
    model = DiffResNetClassifier().fit(points, np.where(np.arange(120) < 3, -1, classes))
    assert sorted(model.suggest(10)) == [0, 1, 2]


def test_first_points_are_typical_by_their_features() -> None:
    points, classes = clusters(4, n_features=20)
    far = points.copy()
    for one in range(4):  # the first of each class is far from its center
        far[40 * one] += 3
    found = DiffResNetClassifier().suggest_first(far, 4)
    assert sorted(classes[found]) == [0, 1, 2, 3]
    for row in found:
        own = points[classes == classes[row]]
        gaps = np.linalg.norm(own - own.mean(axis=0), axis=1)
        assert np.linalg.norm(points[row] - own.mean(axis=0)) < np.median(gaps)


def test_many_points_follow_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diffresnet.estimators.suggestion.N_CLUSTERED", 60)
    points, classes = clusters(4)
    assert sorted(classes[DiffResNetClassifier().suggest_first(points, 4)]) == [0, 1, 2, 3]


def test_before_there_is_a_label() -> None:
    digits: Any = load_digits()
    points, truth = digits.data[:800], digits.target[:800]
    found = DiffResNetClassifier().suggest_first(points, 12)
    assert len(set(found)) == 12
    assert len(set(truth[found])) >= 8
    few = DiffResNetClassifier().suggest_first(points[:5], 9)
    assert sorted(few) == list(range(5))
