from typing import Any

import numpy as np
import pytest
import torch
from scipy import sparse
from sklearn.datasets import make_moons
from sklearn.neighbors import NearestNeighbors, kneighbors_graph

from diffresnet import nearest_neighbors
from diffresnet.estimators import (
    DiffResNetClassifier,
    DiffResNetMultiLabelClassifier,
    DiffResNetRegressor,
)
from diffresnet.estimators.given import take_input, weights_of

MOONS: Any = make_moons(120, noise=0.05, random_state=0)
POINTS, TRUTH = MOONS
LABELS = np.where(np.arange(120) < 8, TRUTH, -1)
NEAR = nearest_neighbors(POINTS, 11)


def test_links_are_one_sparse_matrix() -> None:
    links = weights_of(np.array([[0.0, 1], [1, 0]]))
    assert links.layout == torch.sparse_csr
    assert links.to_dense().tolist() == [[0.5, 0.5], [0.5, 0.5]]
    with pytest.raises(ValueError, match=r"`graph` must be one graph, \(N, N\), got shape"):
        weights_of(np.ones((2, 3, 3)))


def test_the_same_neighbors_give_the_same_fit() -> None:
    expected = DiffResNetClassifier().fit(POINTS, LABELS)
    points = expected.solution_.points.points
    assert points is not None
    own = nearest_neighbors(points[expected.copies_.point], 11)
    found = DiffResNetClassifier().fit(POINTS, LABELS, neighbors=own)
    weights = [one.operator_.weights.to_dense() for one in (found, expected)]
    order = expected.copies_.point
    torch.testing.assert_close(weights[0], weights[1][order][:, order])
    np.testing.assert_allclose(found.label_distributions_, expected.label_distributions_, atol=1e-4)
    assert found.predict(POINTS[:3]).shape == (3,)


@pytest.mark.parametrize("is_matrix", [True, False])
def test_neighbors_of_another_library(is_matrix: bool) -> None:
    near: Any = NearestNeighbors(n_neighbors=10).fit(POINTS).kneighbors()
    if is_matrix:
        near = kneighbors_graph(POINTS, 10, mode="distance")
    model = DiffResNetClassifier().fit(None, LABELS, neighbors=near)
    expected = DiffResNetClassifier().fit(None, LABELS, neighbors=NEAR)
    np.testing.assert_allclose(model.label_distributions_, expected.label_distributions_, atol=1e-4)
    assert (model.transduction_ == TRUTH).mean() > 0.9
    assert model.n_features_in_ == 120
    assert model.predict(np.eye(120)[:2]).shape == (2,)


def test_neighbors_for_every_estimator() -> None:
    values = np.where(LABELS == -1, np.nan, POINTS[:, 0])
    regressor = DiffResNetRegressor().fit(POINTS, values, neighbors=NEAR)
    assert regressor.transduction_.shape == (120,)
    cells = np.stack([LABELS, np.where(LABELS == -1, -1, 1 - LABELS)], axis=1)
    several = DiffResNetMultiLabelClassifier().fit(None, cells, neighbors=NEAR)
    assert (several.transduction_[:, 0] == TRUTH).mean() > 0.9
    first = DiffResNetClassifier().suggest_first(None, 3, neighbors=NEAR)
    assert len(np.unique(first)) == 3


def test_equal_rows_are_points_of_their_own_beside_neighbors() -> None:
    twice = np.concatenate([POINTS, POINTS])
    labels = np.concatenate([LABELS, np.full(120, -1)])
    model = DiffResNetClassifier().fit(twice, labels, neighbors=nearest_neighbors(twice, 11))
    assert model.operator_.n_points == 240
    assert model.copies_.n_copies == 0


def test_few_neighbors_are_enough_and_of_many_the_nearest_are_kept() -> None:
    few = DiffResNetClassifier().fit(None, TRUTH, neighbors=nearest_neighbors(POINTS, 4))
    assert few.operator_.n_points == 120
    many = take_input(DiffResNetClassifier(), None, None, nearest_neighbors(POINTS, 30))
    assert many.neighbors is not None
    assert torch.equal(many.neighbors.indices, NEAR.indices)
    matrix = kneighbors_graph(POINTS, 30, mode="distance")
    from_matrix = take_input(DiffResNetClassifier(), None, None, matrix)
    assert from_matrix.neighbors is not None
    assert torch.equal(from_matrix.neighbors.indices, NEAR.indices)


def test_distances_beyond_single_precision() -> None:
    far = DiffResNetClassifier().fit(None, LABELS, neighbors=(1e200 * NEAR.distances, NEAR.indices))
    near = DiffResNetClassifier().fit(None, LABELS, neighbors=NEAR)
    np.testing.assert_allclose(far.label_distributions_, near.label_distributions_, atol=1e-4)


@pytest.mark.parametrize(
    ("parameters", "arguments", "message"),
    [
        (
            {},
            {"X": POINTS, "graph": np.eye(120), "neighbors": NEAR},
            "`neighbors` must be None beside a `graph`, got both. Pass only one of them.",
        ),
        (
            {"graph": "precomputed"},
            {"X": np.eye(120), "neighbors": NEAR},
            "`neighbors` must be None if X is the graph, got both. Drop `neighbors`, or make the "
            "estimator with `graph='features'`.",
        ),
        (
            {},
            {"X": POINTS[:9], "neighbors": NEAR},
            "`neighbors` must be of 9 points, got 120 points. Give one row, or one label, for each "
            "point.",
        ),
        (
            {},
            {"X": POINTS[:9], "graph": np.eye(120)},
            "`graph` must be of 9 points, got 120 points. Give one row, or one label, for each "
            "point.",
        ),
        (
            {},
            {"X": None, "neighbors": (NEAR.indices, NEAR.distances)},
            "`neighbors[1]` must be an array of integers, got one of dtype torch.float64. Pass "
            "distances first, then indices.",
        ),
        (
            {},
            {"X": None, "neighbors": (NEAR.distances, NEAR.indices, None)},
            "`neighbors` must be a pair (distances, indices), or a sparse matrix of distances, got "
            "3 of them. Pass distances first, then indices.",
        ),
        (
            {},
            {"X": None, "neighbors": NEAR.distances.numpy()},
            "`neighbors` must be a pair (distances, indices), or a sparse matrix of distances, got "
            "ndarray. Pass distances first, then indices.",
        ),
        (
            {},
            {"X": None, "neighbors": sparse.csr_array((3, 4))},
            "`neighbors` must be square, got shape (3, 4). Pass one row and one column a point.",
        ),
        (
            {},
            {"X": None},
            "`X` must be features, or None beside a graph, got None. Pass features, a graph, or "
            "both.",
        ),
    ],
)
def test_what_is_refused(
    parameters: dict[str, Any], arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match="DiffResNetClassifier") as error:
        DiffResNetClassifier(**parameters).fit(y=LABELS, **arguments)
    assert str(error.value) == f"DiffResNetClassifier.fit: {message}"
