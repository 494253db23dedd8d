import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import diffresnet.estimators.columns
import diffresnet.estimators.points
from diffresnet import (
    DiffResNetClassifier,
    DiffResNetMultiLabelClassifier,
    Neighbors,
    build_weights,
)
from diffresnet.estimators import ConstantLabelWarning, UnreachedWarning
from diffresnet.graph.weights import weigh_neighbors
from tests.estimators.examples import clusters

ONE_TWO = "its labels are 1 and 2, where 0 and 1 are meant"
ONE_COLUMN = "its labels are one-dimensional, where a column for each label is meant"
TWO_CLASSES = "it expects the probabilities of two classes, where that of each label is meant"


def expected_failures(_: object) -> dict[str, str]:
    return {
        "check_estimators_dtypes": ONE_TWO,
        "check_classifier_data_not_an_array": ONE_TWO,
        "check_fit2d_1feature": ONE_TWO,
        "check_classifiers_classes": ONE_COLUMN,
        "check_classifiers_regression_target": ONE_COLUMN,
        "check_classifier_not_supporting_multiclass": ONE_COLUMN,
        "check_classifiers_train": TWO_CLASSES,
        "check_estimator_sparse_array": TWO_CLASSES,
        "check_estimator_sparse_matrix": TWO_CLASSES,
    }


@parametrize_with_checks(
    [DiffResNetMultiLabelClassifier()], expected_failed_checks=expected_failures
)
def test_keeps_the_contract(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


POINTS, CLASSES = clusters()
TRUTH = np.stack([CLASSES == 0, CLASSES != 1, CLASSES == 2], axis=1).astype(np.int64)


def some(truth: np.ndarray, step: int = 8) -> np.ndarray:
    """Return every eighth row, -1 elsewhere."""
    given = np.full(truth.shape, -1)
    given[::step] = truth[::step]
    return given


GIVEN = some(TRUTH)


@pytest.fixture(scope="module")
def model() -> DiffResNetMultiLabelClassifier:
    return DiffResNetMultiLabelClassifier().fit(POINTS, GIVEN)


def test_finds_several_labels(model: DiffResNetMultiLabelClassifier) -> None:
    assert np.array_equal(model.transduction_, TRUTH)
    assert np.array_equal(model.predict(POINTS), TRUTH)
    assert model.label_distributions_.shape == model.reached_.shape == (120, 3)
    assert model.reached_.all()
    assert model.label_names_.tolist() == model.classes_.tolist() == [0, 1, 2]
    is_known = GIVEN >= 0
    assert np.array_equal(model.label_distributions_[is_known], GIVEN[is_known])
    assert np.array_equal(model.encoded_labels_, GIVEN)


def test_a_column_has_the_probabilities_of_the_classifier() -> None:
    model = DiffResNetMultiLabelClassifier().fit(POINTS, GIVEN)
    for column in range(3):
        alone = DiffResNetClassifier().fit(POINTS, GIVEN[:, column])
        found = model.label_distributions_[:, column]
        assert np.allclose(found, alone.label_distributions_[:, 1], atol=1e-9)
        found = model.predict_proba(POINTS[::9])[:, column]
        assert np.allclose(found, alone.predict_proba(POINTS[::9])[:, 1], atol=1e-9)


def test_the_graph_is_built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[int] = []

    def build(near: Neighbors, kept: Any, *others: Any) -> Any:
        built.append(kept.n_top)
        return weigh_neighbors(near, kept, *others)

    monkeypatch.setattr(diffresnet.estimators.points, "weigh_neighbors", build)
    DiffResNetMultiLabelClassifier().fit(POINTS, GIVEN).update_labels([1], [1], [1])
    assert built == [11]


def test_columns_may_be_known_at_different_points() -> None:
    given = GIVEN.astype(float)
    given[::16, 0] = np.nan
    given[8::16, 1] = np.nan
    found = DiffResNetMultiLabelClassifier().fit(POINTS, given)
    assert (found.transduction_ == TRUTH).mean() > 0.97
    alone = DiffResNetClassifier().fit(POINTS, given[:, 1])
    assert np.allclose(found.label_distributions_[:, 1], alone.label_distributions_[:, 1])


def to_objects(cells: np.ndarray) -> np.ndarray:
    rows = [[None if one < 0 else one for one in row] for row in cells.tolist()]
    return np.array(rows, dtype=object)


def to_frame(cells: np.ndarray) -> polars.DataFrame:
    rows = to_objects(cells).tolist()
    return polars.DataFrame(rows, schema=["a", "b", "c"], orient="row")


@pytest.mark.parametrize("kind", [list, to_objects, to_frame, np.float32])
def test_kinds_of_labels(kind: Callable[[Any], Any], model: DiffResNetMultiLabelClassifier) -> None:
    found = DiffResNetMultiLabelClassifier().fit(POINTS, kind(GIVEN))
    assert np.array_equal(found.label_distributions_, model.label_distributions_)
    names = ["a", "b", "c"] if kind is to_frame else [0, 1, 2]
    assert found.label_names_.tolist() == names


def test_sparse_labels_and_features() -> None:
    found = DiffResNetMultiLabelClassifier().fit(sparse.csr_array(POINTS), sparse.csr_array(TRUTH))
    assert np.array_equal(found.transduction_, TRUTH)
    assert np.array_equal(found.predict(sparse.csr_array(POINTS)), TRUTH)


def test_graph_in_three_ways() -> None:
    graph = build_weights(POINTS, n_top=8).to_dense().numpy()
    alone = DiffResNetMultiLabelClassifier().fit(None, GIVEN, graph=graph)
    first = DiffResNetMultiLabelClassifier(graph="precomputed").fit(sparse.csr_array(graph), GIVEN)
    both = DiffResNetMultiLabelClassifier().fit(POINTS, GIVEN, graph=graph)
    assert np.allclose(alone.label_distributions_, first.label_distributions_)
    for found in (alone, first, both):
        assert np.array_equal(found.transduction_, TRUTH)
    assert np.array_equal(first.predict(graph[::4]), TRUTH[::4])


def attributes(digits: np.ndarray) -> np.ndarray:
    """Return whether digits are even, have a closed loop, are above four, are prime."""
    sets = ([0, 2, 4, 6, 8], [0, 6, 8, 9], [5, 6, 7, 8, 9], [2, 3, 5, 7])
    return np.stack([np.isin(digits, one) for one in sets], axis=1)


def test_better_than_baselines_on_real_data() -> None:
    data: Any = load_digits()
    points, truth = StandardScaler().fit_transform(data.data), attributes(data.target)
    own, lines, near = [], [], []
    for seed in range(3):
        rows = np.random.default_rng(seed).permutation(len(truth))[:50]
        given = np.full(truth.shape, -1)
        given[rows] = truth[rows]
        rest = np.setdiff1d(np.arange(len(truth)), rows)
        found = DiffResNetMultiLabelClassifier().fit(data.data, given)
        own.append((found.transduction_ == truth)[rest].mean())
        separate = [LogisticRegression().fit(points[rows], one[rows]) for one in truth.T]
        lines.append((np.stack([one.predict(points) for one in separate], axis=1) == truth).mean())
        neighbors = KNeighborsClassifier(5).fit(points[rows], truth[rows])
        near.append((neighbors.predict(points) == truth)[rest].mean())
    assert np.mean(own) > 0.93
    assert np.mean(own) > max(np.mean(lines), np.mean(near)) + 0.04


def test_constant_columns_warn() -> None:
    given = GIVEN.copy()
    given[:, 2] = np.where(given[:, 2] == 1, -1, given[:, 2])
    with pytest.warns(ConstantLabelWarning, match="column 2 is 0: so it is everywhere") as said:
        model = DiffResNetMultiLabelClassifier().fit(POINTS, given)
    assert said[0].filename == __file__
    assert (model.transduction_[:, 2] == 0).all()
    assert (model.predict(POINTS)[:, 2] == 0).all()
    assert np.array_equal(model.transduction_[:, :2], TRUTH[:, :2])
    row = int(np.flatnonzero(CLASSES == 2)[0])
    assert (model.update_labels([row], [2], [1]).transduction_[:, 2] == TRUTH[:, 2]).all()
    with pytest.warns(ConstantLabelWarning) as said:
        model.update_labels([row], [2], [None])
    assert said[0].filename == __file__


def test_a_component_without_labels_gets_the_proportion() -> None:
    given = GIVEN.copy()
    given[CLASSES == 2, 1] = -1
    with pytest.warns(UnreachedWarning) as said:
        model = DiffResNetMultiLabelClassifier().fit(POINTS, given)
    assert str(said[0].message) == (
        "DiffResNetMultiLabelClassifier: 40 points in 1 component of the graph are not connected "
        "to any label of some column and get the proportion of points that have it. Label one of "
        "each, raise `n_top`, or add links."
    )
    assert said[0].filename == __file__
    assert np.array_equal(model.reached_[:, 1], CLASSES != 2)
    assert model.reached_[:, [0, 2]].all()
    far = model.predict_proba(POINTS[CLASSES == 2])[:, 1]
    assert np.allclose(far, (5 + 1) / (10 + 2))
    assert np.allclose(model.label_distributions_[CLASSES == 2, 1], far[0])


def test_copies_are_one_point(model: DiffResNetMultiLabelClassifier) -> None:
    copied = np.repeat(np.arange(6), 20)
    more = np.concatenate([POINTS, POINTS[copied]])
    given = np.concatenate([GIVEN, np.full((120, 3), -1)])
    given[120:123] = 1 - GIVEN[0], GIVEN[0], GIVEN[0]  # one of four says otherwise
    found = DiffResNetMultiLabelClassifier().fit(more, given)
    assert found.operator_.n_points == 120
    assert np.allclose(found.label_distributions_[:120], model.label_distributions_)
    assert np.array_equal(found.transduction_[120:], model.transduction_[copied])


def test_the_order_of_rows_does_not_matter(model: DiffResNetMultiLabelClassifier) -> None:
    order = np.random.default_rng(0).permutation(120)
    found = DiffResNetMultiLabelClassifier().fit(POINTS[order], GIVEN[order])
    assert np.array_equal(found.transduction_, model.transduction_[order])
    assert np.allclose(found.label_distributions_, model.label_distributions_[order], atol=0.05)


def test_labels_can_be_updated(monkeypatch: pytest.MonkeyPatch) -> None:
    model = DiffResNetMultiLabelClassifier().fit(POINTS, GIVEN)
    before, operator = model.columns_, model.operator_
    given = GIVEN.copy()
    given[[1, 50, 100], 1] = TRUTH[[1, 50, 100], 1]
    model.update_labels([1, 50, 100], [1, 1, 1], TRUTH[[1, 50, 100], 1])
    assert model.operator_ is operator
    assert model.columns_[0] is before[0]
    assert model.columns_[2] is before[2]
    anew = DiffResNetMultiLabelClassifier().fit(POINTS, given)
    assert np.array_equal(model.label_distributions_, anew.label_distributions_)
    monkeypatch.delattr(diffresnet.estimators.columns, "solve")
    model.update_labels([], [], [])  # nothing is learned anew
    assert np.array_equal(model.label_distributions_, anew.label_distributions_)


def test_a_failed_update_changes_nothing(model: DiffResNetMultiLabelClassifier) -> None:
    before = model.label_distributions_.copy()
    every = np.arange(120)
    for cells in (
        ([120], [0], [1]),
        ([0], [3], [1]),
        ([0], [0], [5]),
        (every, every * 0, -1 - 0 * every),
    ):
        with pytest.raises(ValueError, match="must be"):
            model.update_labels(*cells)
    assert np.array_equal(model.label_distributions_, before)


def test_saved_and_loaded(tmp_path: Path) -> None:
    model = DiffResNetMultiLabelClassifier(n_top=9, n_steps=40).fit(POINTS, to_frame(GIVEN))
    loaded = DiffResNetMultiLabelClassifier.load(model.save(tmp_path / "model.npz"))
    assert loaded.get_params() == model.get_params()
    assert loaded.label_names_.tolist() == ["a", "b", "c"]
    assert np.array_equal(loaded.label_distributions_, model.label_distributions_)
    assert np.array_equal(loaded.predict_proba(POINTS), model.predict_proba(POINTS))
    with pytest.raises(ValueError, match=r"Read it by `DiffResNetMultiLabelClassifier\.load`"):
        DiffResNetClassifier.load(tmp_path / "model.npz")


def test_pickles_clones_and_the_same_seed(model: DiffResNetMultiLabelClassifier) -> None:
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert np.array_equal(again.predict_proba(POINTS), model.predict_proba(POINTS))
    assert not hasattr(clone(model), "columns_")
    anew = DiffResNetMultiLabelClassifier().fit(POINTS, GIVEN)
    assert np.array_equal(anew.label_distributions_, model.label_distributions_)


def test_score_counts_known_cells(model: DiffResNetMultiLabelClassifier) -> None:
    assert model.score(POINTS, GIVEN) == 1
    wrong = TRUTH.copy()
    wrong[:, 0] = 1 - wrong[:, 0]
    assert model.score(POINTS, wrong) == pytest.approx(2 / 3)
    wrong[60:] = -1
    weights = np.where(np.arange(120) < 30, 3.0, 1.0)
    assert model.score(POINTS, wrong, sample_weight=weights) == pytest.approx(2 / 3)
    folds = KFold(3, shuffle=True, random_state=0)
    found = cross_val_score(DiffResNetMultiLabelClassifier(), POINTS, TRUTH, cv=folds)
    assert (found == 1).all()


def test_bad_input(model: DiffResNetMultiLabelClassifier) -> None:
    name = "DiffResNetMultiLabelClassifier"
    calls: list[tuple[Callable[[], object], str]] = [
        (
            lambda: DiffResNetMultiLabelClassifier().fit(POINTS, GIVEN[:, 0]),
            f"{name}.fit: `y` must be two-dimensional, (N, K), got shape (120,). Give a column for "
            "each label, or take DiffResNetClassifier for one class a point.",
        ),
        (
            lambda: DiffResNetMultiLabelClassifier().fit(POINTS, 2 * GIVEN),
            f"{name}.fit: `y` must be 0, 1 or missing, got 2 in row 0, column 0. Make a column of "
            "0 and 1 for each label; -1, None and NaN mean unknown.",
        ),
        (
            lambda: DiffResNetMultiLabelClassifier().fit(POINTS, GIVEN[:5]),
            f"{name}.fit: `y` must be of 120 entries, one for each point, got 5 entries. Use -1 "
            "for points without a label.",
        ),
        (
            lambda: DiffResNetMultiLabelClassifier().fit(POINTS, GIVEN * [1, 1, 0] - [0, 0, 1]),
            f"{name}.fit: `y` must be known cells in every column, got none in column 2. Label a "
            "point there, or drop the column.",
        ),
        (
            lambda: DiffResNetMultiLabelClassifier(step_size=50).fit(POINTS, GIVEN),
            f"{name}: `step_size` must be at most {{bound}}, the stability bound of this graph, "
            "got 50. Lower it and raise `n_steps` instead, or leave it to 'auto'.",
        ),
        (
            lambda: DiffResNetMultiLabelClassifier(n_steps=-1).fit(POINTS, GIVEN),
            f"{name}: `n_steps` must be at least 0, got -1. Raise `n_steps`.",
        ),
        (
            lambda: DiffResNetMultiLabelClassifier().fit(POINTS, None),
            f"This {name} estimator requires y to be passed, but the target y is None.",
        ),
        (
            lambda: model.score(POINTS, GIVEN[:, :2]),
            f"{name}.score: `y` must be of 3 columns with known cells, got 2 columns with 30 known "
            "cells. Pass labels as they were in `fit`.",
        ),
    ]
    bound = f"{model.operator_.max_stable_step_size:.3g}"
    for call, message in calls:
        with pytest.raises(ValueError, match=r"must be|requires y") as error:
            call()
        assert str(error.value) == message.replace("{bound}", bound)
    with pytest.raises(NotFittedError):
        DiffResNetMultiLabelClassifier().predict(POINTS)


def test_a_failed_refit_changes_nothing() -> None:
    model = DiffResNetMultiLabelClassifier().fit(POINTS, GIVEN)
    before = model.predict_proba(POINTS)
    with pytest.raises(ValueError, match="`y` must be"):
        model.fit(POINTS[:, :3], GIVEN[:5])
    assert np.array_equal(model.predict_proba(POINTS), before)
