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


def test_no_more_than_there_are() -> None:
    points, classes = clusters()
    model = DiffResNetClassifier().fit(points, np.where(np.arange(120) < 3, -1, classes))
    assert sorted(model.suggest(10)) == [0, 1, 2]


def test_before_there_is_a_label() -> None:
    digits: Any = load_digits()
    points, truth = digits.data[:800], digits.target[:800]
    found = DiffResNetClassifier().suggest_first(points, 12)
    assert len(set(found)) == 12
    assert len(set(truth[found])) >= 8
    few = DiffResNetClassifier().suggest_first(points[:5], 9)
    assert sorted(few) == list(range(5))
