from typing import Any

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits, load_wine

from diffresnet.estimators import DiffResNetClassifier
from diffresnet.learning.outliers import FAR, find_outliers
from tests.estimators.examples import partly


def test_against_a_loop() -> None:
    generator = np.random.default_rng(0)
    features = generator.standard_normal((300, 4)) * [1, 100, 1e-3, 1e6]
    features[[5, 200, 7], [0, 2, 3]] = [200, -0.3, 4e8]
    expected = np.zeros(300, dtype=bool)
    for column in features.T:
        median = np.sort(column)[149]
        apart = np.abs(column - median)
        typical = np.sqrt((np.sort(apart)[:297] ** 2).sum() / 300)
        expected |= apart > FAR * typical
    assert np.flatnonzero(expected).tolist() == [5, 7, 200]
    assert np.array_equal(find_outliers(torch.from_numpy(features)).numpy(), expected)


@pytest.mark.parametrize("n_rare", [1, 2, 10, 100])
def test_rare_words_are_no_outliers(n_rare: int) -> None:
    features = torch.zeros(1000, 3)
    features[:n_rare, 1] = 5
    assert not find_outliers(features).any()


def test_long_tails_are_no_outliers() -> None:
    features = torch.randn(1000, 2, generator=torch.Generator().manual_seed(0)).mul(1.5).exp()
    assert not find_outliers(features).any()
    assert not find_outliers(torch.tensor([[1.0], [2.0], [3.0]])).any()


@pytest.mark.parametrize("value", [1e6, 1e12, -1e30, 1e300])
def test_one_wrong_number_does_no_harm_to_others(value: float) -> None:
    for load in (load_digits, load_wine):
        found: Any = load()
        points, classes = np.array(found["data"]), np.array(found["target"])
        labels = partly(classes, 10)
        rest = labels == -1
        usual = DiffResNetClassifier().fit(points, labels).transduction_
        out = int(np.flatnonzero(rest)[3])
        points[out, 5] = value
        model = DiffResNetClassifier().fit(points, labels)
        rest[out] = False
        assert (model.transduction_ == usual)[rest].mean() > 0.98
        assert model.diagnose().outliers == (out,)
        assert f"row {out}, counted from 0" in str(model.diagnose())
        assert np.isfinite(model.predict_proba(points)).all()


def test_a_label_far_out_does_no_harm_either() -> None:
    found: Any = load_digits()
    points, classes = np.array(found["data"]), np.array(found["target"])
    labels = partly(classes, 10)
    usual = DiffResNetClassifier().fit(points, labels).transduction_
    points[np.flatnonzero(labels >= 0)[0], 5] = 1e12
    model = DiffResNetClassifier().fit(points, labels)
    assert (model.transduction_ == usual).mean() > 0.98


def test_points_without_spread() -> None:
    model = DiffResNetClassifier().fit(np.full((6, 2), 3.0), [0, 1, -1, -1, -1, -1])
    for asked in (np.full((2, 2), 3.0), np.array([[0.0, 1e9]]), np.array([[-1e300, 1e300]])):
        found = model.predict_proba(asked)
        assert np.allclose(found.sum(axis=1), 1)


def test_a_few_wrong_numbers_in_a_small_table() -> None:
    generator = np.random.default_rng(0)
    classes = np.arange(90) % 3
    points = generator.standard_normal((90, 4)) + 4 * np.eye(4)[classes]
    labels = np.where(np.arange(90) < 30, classes, -1)
    points[[40, 41, 60], [0, 1, 2]] = [1e12, -1e12, 1e9]
    model = DiffResNetClassifier().fit(points, labels)
    assert model.diagnose().outliers == (40, 41, 60)
    rest = (labels == -1) & ~np.isin(np.arange(90), [40, 41, 60])
    assert (model.transduction_ == classes)[rest].mean() > 0.95
