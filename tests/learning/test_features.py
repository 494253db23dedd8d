from typing import Any

import numpy as np
import polars as pl
import pytest
import torch
from scipy import sparse

from diffresnet.estimators import (
    DiffResNetClassifier,
    DiffResNetMultiLabelClassifier,
    DiffResNetRegressor,
)
from diffresnet.learning.features import N_KEPT, FeatureSpace, validate_features
from tests.estimators.examples import clusters

GENERATOR = np.random.default_rng(0)


def test_centered_and_of_length_one() -> None:
    features = GENERATOR.standard_normal((50, 40)) + 3
    space, points, _ = FeatureSpace.fit(features, 0)
    moved = features - features.mean(axis=0)
    expected = moved / np.linalg.norm(moved, axis=1, keepdims=True)
    assert np.allclose(points.numpy(), expected, atol=1e-6)
    assert torch.equal(space.place(features)[0], points)


def test_few_features_keep_their_length() -> None:
    features = np.array([[1.0, 0], [2, 0], [-3, 0]])
    space, points, _ = FeatureSpace.fit(features, 0)
    assert points.shape == (3, 3)
    assert not torch.allclose(points[0], points[1], atol=0.1)
    assert torch.equal(space.place(features)[0], points)


def test_many_features_are_reduced_without_harm() -> None:
    hidden = GENERATOR.standard_normal((400, 30)) * np.linspace(3, 1, 30)
    features = hidden @ GENERATOR.standard_normal((30, 500))
    space, points, _ = FeatureSpace.fit(features, 0)
    assert points.shape == (400, N_KEPT)
    moved = features - features.mean(axis=0)
    expected = moved / np.linalg.norm(moved, axis=1, keepdims=True)
    assert np.allclose(points @ points.mT, expected @ expected.T, atol=1e-4)
    variances = points.var(dim=0)
    assert bool((variances[:30].diff() <= 1e-6).all())
    assert torch.allclose(space.place(features[:9])[0], points[:9], atol=1e-5)
    wide = np.pad(features, ((0, 0), (0, 4000)))
    _, found, _ = FeatureSpace.fit(wide, 0)
    assert np.allclose(found @ found.mT, points @ points.mT, atol=1e-3)


def test_sparse_features() -> None:
    features = sparse.csr_array(sparse.random_array((80, 5000), density=0.01, rng=GENERATOR))
    space, points, _ = FeatureSpace.fit(features, 0)
    assert points.shape[0] == 80
    assert torch.allclose(space.place(features[:7])[0], points[:7], atol=1e-5)
    few = sparse.csr_array(sparse.random_array((80, 50), density=0.5, rng=GENERATOR))
    assert torch.allclose(FeatureSpace.fit(few, 0)[1], FeatureSpace.fit(few.toarray(), 0)[1])


def test_very_large_numbers() -> None:
    for kind, size in ((np.float32, 1e30), (np.float64, 1e150)):
        _, points, _ = FeatureSpace.fit((GENERATOR.standard_normal((20, 5)) * size).astype(kind), 0)
        assert bool(points.isfinite().all())


def test_lengths_give_back_the_features() -> None:
    features = GENERATOR.standard_normal((60, 40))
    space, points, lengths = FeatureSpace.fit(features, 0)
    moved = points.double() * (lengths * space.unit).unsqueeze(1)
    assert np.allclose(moved, features - features.mean(axis=0), atol=1e-5)
    assert float(lengths.max()) == 1
    assert torch.allclose(space.place(features[:5])[1], lengths[:5])


def test_features_in_units_of_their_own_are_standardized() -> None:
    plain = GENERATOR.standard_normal((200, 12))
    space, points, _ = FeatureSpace.fit(plain * np.r_[1000.0, np.ones(11)], 0)
    assert space.scale is not None
    expected = FeatureSpace.fit(plain / plain.std(axis=0), 0)[1]
    assert torch.allclose(points, expected, atol=1e-4)
    assert FeatureSpace.fit(plain, 0)[0].scale is None
    constant = np.c_[plain * np.r_[1000.0, np.ones(11)], np.ones(200)]
    assert bool(FeatureSpace.fit(constant, 0)[1].isfinite().all())


def test_units_of_very_few_features_and_constant_ones() -> None:
    plain = GENERATOR.standard_normal((200, 2))
    assert FeatureSpace.fit(plain * [1000.0, 1.0], 0)[0].scale is not None
    assert FeatureSpace.fit(plain * [1.5, 1.0], 0)[0].scale is None
    constant = np.c_[plain * [1e4, 1.0], np.full(200, 0.1), GENERATOR.standard_normal((200, 5))]
    scale = FeatureSpace.fit(constant, 0)[0].scale
    assert scale is not None
    assert float(scale[2]) > 1e-3


def test_sparse_features_of_any_size() -> None:
    features = sparse.csr_array(sparse.random_array((80, 5000), density=0.01, rng=GENERATOR))
    plain = FeatureSpace.fit(features, 0)[1]
    for size in (1e30, 1e-30, 1e300):
        assert torch.allclose(FeatureSpace.fit(features * size, 0)[1].abs(), plain.abs(), atol=1e-3)


@pytest.mark.parametrize(
    "kind", [DiffResNetClassifier, DiffResNetRegressor, DiffResNetMultiLabelClassifier]
)
def test_indices_outside_are_refused_before_scikit_learn_converts(kind: Any) -> None:
    bad = sparse.csc_array(np.eye(4))
    bad.indptr = np.array([0, 10**7, 2, 3, 4])
    y = np.eye(4, 2) if kind is DiffResNetMultiLabelClassifier else [0, 1, 1, 0]
    with pytest.raises(ValueError, match=rf"{kind.__name__}\.fit: `X` must be a sparse matrix"):
        kind().fit(bad, y)
    with pytest.raises(ValueError, match=rf"{kind.__name__}\.fit: `X` must be a sparse matrix"):
        kind(graph="precomputed").fit(bad, y)
    with pytest.raises(ValueError, match="`adjacency` must be a sparse matrix with indices inside"):
        kind().fit(None, y, graph=bad)


def test_a_new_point_far_away_has_finite_probabilities() -> None:
    points, classes = clusters(2, 10)
    labels = np.where(np.arange(20) % 4 == 0, classes, -1)
    model = DiffResNetClassifier(n_top=4).fit(points, labels)
    for size in (1e12, 1e200, 1e300):
        assert np.isfinite(model.predict_proba(np.full((1, 8), size))).all()


def test_numbers_whose_sum_is_too_large() -> None:
    points = np.random.default_rng(0).standard_normal((20, 3))
    points[:, 0] = 1e308
    y = np.where(np.arange(20) < 10, np.arange(20) % 2, -1)
    found = DiffResNetClassifier().fit(points, y).label_distributions_
    assert np.allclose(found.sum(axis=1), 1)
    points[::2, 0] = -1e308
    found = DiffResNetClassifier().fit(points, y).label_distributions_
    assert np.allclose(found.sum(axis=1), 1)


def test_infinity_is_refused_without_a_warning() -> None:
    points = np.array([[np.inf], [-np.inf], [1.0]])
    with pytest.raises(ValueError, match="contains infinity"):
        DiffResNetClassifier().fit(points, [0, 1, -1])


def test_tensors_of_other_kinds_and_tables_that_are_not_there_yet() -> None:
    points = torch.from_numpy(np.random.default_rng(0).normal(size=(30, 3))).float()
    for given in (points.requires_grad_(), points.detach().bfloat16()):
        found = validate_features(DiffResNetClassifier(), given, "fit")
        assert found.shape == (30, 3)
        assert found.dtype == np.float32
    with pytest.raises(ValueError, match=r"got a LazyFrame. Call `.collect\(\)` on it"):
        validate_features(DiffResNetClassifier(), pl.LazyFrame({"a": [1.0]}), "fit")
