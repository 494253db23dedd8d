from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import roc_auc_score

from diffresnet.estimators import DiffResNetClassifier
from tests.estimators.examples import clusters, partly


def test_a_class_without_labels_is_novel() -> None:
    digits: Any = load_digits()
    points, truth = digits.data[:900], digits.target[:900]
    for out in (0, 4):
        labels = partly(truth, 3)
        labels[labels == out] = -1
        model = DiffResNetClassifier().fit(points, labels)
        rest = labels == -1
        assert roc_auc_score(truth[rest] == out, model.novelty_[rest]) > 0.9


def test_a_graph_alone_and_copies() -> None:
    points, classes = clusters()
    model = DiffResNetClassifier().fit(np.r_[points, points[:4]], np.r_[partly(classes), [-1] * 4])
    assert model.novelty_.shape == (124,)
    assert np.array_equal(model.novelty_[120:], model.novelty_[:4])
    graph = model.operator_.weights.to_dense().numpy()
    alone = DiffResNetClassifier().fit(None, partly(classes), graph=graph)
    assert 0 <= alone.novelty_.min() <= alone.novelty_.max() <= 1
