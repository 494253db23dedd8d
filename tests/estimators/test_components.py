import numpy as np
import torch
from sklearn.datasets import make_circles

from diffresnet.estimators import DiffResNetClassifier
from diffresnet.estimators.components import score_components
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
