import numpy as np

from diffresnet import DiffResNetClassifier
from diffresnet.studio.predictions import NONE_LABEL, Predictions
from tests.studio.studios import TRUTH, cluster_points


def test_without_labels_nothing_is_predicted() -> None:
    found = Predictions.of(DiffResNetClassifier().prepare(cluster_points()))
    assert (found.classes == -1).all()
    assert (found.certainty == 0).all()
    assert (found.as_bytes(0) == 255).all()


def test_one_class_fades_with_the_distance() -> None:
    model = DiffResNetClassifier(n_top=40).prepare(cluster_points()).update_labels([0], [4])
    found = Predictions.of(model)
    reached = model.reached_
    assert (found.classes[reached] == 4).all()
    assert found.probabilities[0] == 1
    own, others = found.probabilities[reached & (TRUTH == 0)], found.probabilities[TRUTH > 0]
    assert own.mean() > others.mean()


def test_bytes_are_as_wide_as_numbers_of_classes_need() -> None:
    found = Predictions(
        np.array([0, 254, -1, -2], dtype=np.int32), np.array([0.5, 1, 0, 0.25], dtype=np.float32)
    )
    assert found.as_bytes(254).tolist() == [0, 254, 255, 255]
    assert found.as_bytes(255).dtype == np.uint16
    assert found.as_bytes(255).tolist() == [0, 254, 65535, 65535]
    assert found.certainty.tolist() == [128, 255, 0, 65]


def test_none_of_these_is_predicted() -> None:
    model = DiffResNetClassifier(n_top=20).prepare(cluster_points())
    found = Predictions.of(model.update_labels([0, 31, 61], [2, NONE_LABEL, 2]))
    assert (found.classes[TRUTH == 1] == -2).mean() > 0.9
