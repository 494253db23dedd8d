from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits

from diffresnet.estimators import DiffResNetClassifier
from diffresnet.estimators.copies import Copies
from tests.estimators.examples import partly

ROWS = np.array([[1.0, 0.0], [2.0, 0.0], [1.0, -0.0], [2.0, 0.0], [3.0, 1.0]])


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_finds_equal_rows(kind: type) -> None:
    found = Copies.of(kind(ROWS))
    assert found.first.tolist() == [0, 1, 4]
    assert found.point.tolist() == [0, 1, 0, 1, 2]
    assert found.n_copies == 2


def test_a_class_that_only_copies_have_keeps_all_rows() -> None:
    assert not Copies.of(ROWS).keeps_every_class(np.array([0, 0, 1, -1, -1]), 2)
    model = DiffResNetClassifier().fit(np.ones((6, 3)), [0, 1, -1, -1, -1, -1])
    assert model.diagnose().n_copies == 0


def test_labels_of_copies_are_one() -> None:
    found = Copies.of(ROWS)
    assert found.merge(np.array([-1, 1, 0, -1, 1]), 2).tolist() == [0, 1, 1]
    assert found.merge(np.array([0, 1, -1, 1, 0]), 2).tolist() == [0, 1, 0]
    with pytest.raises(ValueError, match="rows 2 and 0"):
        found.merge(np.array([0, 0, 1, -1, -1]), 2)


def test_values_of_copies_are_their_mean() -> None:
    given = np.array([1.0, np.nan, 4.0, np.nan, 7.0])
    assert np.array_equal(Copies.of(ROWS).average(given), [2.5, np.nan, 7], equal_nan=True)
    assert np.array_equal(Copies.none(5).average(given), given, equal_nan=True)


def test_copies_change_nothing() -> None:
    digits: Any = load_digits()
    points, truth = digits.data[:600], digits.target[:600]
    labels = partly(truth, 2)
    copied = np.repeat(np.arange(6), 60)
    more = np.concatenate([points, points[copied]])
    both = np.concatenate([labels, np.full(len(copied), -1)])
    plain = DiffResNetClassifier().fit(points, labels)
    model = DiffResNetClassifier().fit(more, both)
    assert np.array_equal(model.transduction_[:600], plain.transduction_)
    assert np.array_equal(model.transduction_[600:], plain.transduction_[copied])
    assert model.embedding_.shape[0] == len(model.reached_) == len(more)
    assert "360 rows are copies of others" in str(model.diagnose())
    suggested = model.suggest(20)
    assert suggested.max() < 600
    model.update_labels([700], [int(truth[copied[100]])])
    assert model.transduction_[copied[100]] == truth[copied[100]]
