import numpy as np

from diffresnet.estimators.held_out import HeldOut

PROBABILITIES = np.array([[0.5, 0.25, 0.25], [0.2, 0.2, 0.6], [1.0, 0.0, 0.0]])
HELD_OUT = HeldOut(np.array([3, 5, 8]), np.array([0, 0, 2]), PROBABILITIES)


def test_what_each_label_had() -> None:
    assert HELD_OUT.of_labels.tolist() == [0.5, 0.2, 0.0]


def test_classes_are_as_common_as_asked() -> None:
    proportions = np.array([0.3, 0.2, 0.5])
    found = HELD_OUT.weights(proportions)
    assert np.allclose(found, [0.15, 0.15, 0.5])


def test_what_is_added_to_all_or_to_each() -> None:
    bias = np.log([1.0, 2.0, 2.0])
    found = HELD_OUT.shifted(bias)
    assert np.allclose(found.probabilities[0], [1 / 3, 1 / 3, 1 / 3])
    assert np.allclose(found.probabilities.sum(axis=1), 1)
    each = HELD_OUT.shifted(np.stack([bias, 0 * bias, 0 * bias]))
    assert np.allclose(each.probabilities[0], found.probabilities[0])
    assert np.allclose(each.probabilities[1], PROBABILITIES[1])
    assert each.rows is HELD_OUT.rows
