import pickle
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import polars
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import diffresnet.estimators.input
import diffresnet.estimators.points
from diffresnet import Neighbors, build_weights
from diffresnet._support.types import Search
from diffresnet.estimators import DiffResNetClassifier, LabeledKFold, UnreachedWarning
from diffresnet.graph.neighbors import search_neighbors
from tests.estimators.examples import clusters, partly


def expected_failures(_: object) -> dict[str, str]:
    return {"check_classifiers_classes": "its labels -1 and 1 are one class here: -1 is no label"}


@parametrize_with_checks([DiffResNetClassifier()], expected_failed_checks=expected_failures)
def test_keeps_the_contract(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


@pytest.fixture(scope="module")
def model() -> DiffResNetClassifier:
    points, classes = clusters()
    return DiffResNetClassifier().fit(points, partly(classes))


@pytest.mark.parametrize("solver", ["mixture", "kernel", "network"])
@pytest.mark.parametrize("n_labels", [1, 2, 5])
def test_labels_the_rest(solver: Any, n_labels: int) -> None:
    points, classes = clusters()
    model = DiffResNetClassifier(solver=solver).fit(points, partly(classes, n_labels))
    assert (model.transduction_ == classes).all()
    assert (model.predict(points) == classes).all()


def test_two_moons_need_the_graph() -> None:
    angle = np.linspace(0, np.pi, 150)
    first = np.c_[np.cos(angle), np.sin(angle)]
    points = np.r_[first, np.c_[1 - np.cos(angle), 0.5 - np.sin(angle)]]
    classes = np.repeat([0, 1], 150)
    labels = np.full(300, -1)
    labels[[75, 225]] = 0, 1
    found = DiffResNetClassifier(n_steps=200).fit(points, labels).transduction_
    assert (found == classes).mean() > 0.9


def test_probabilities(model: DiffResNetClassifier) -> None:
    points, _ = clusters(seed=0)
    for probabilities in (model.label_distributions_, model.predict_proba(points[::7])):
        assert np.isfinite(probabilities).all()
        assert np.allclose(probabilities.sum(axis=1), 1)
    labeled = model.encoded_labels_ >= 0
    assert (model.label_distributions_[labeled].max(axis=1) == 1).all()


def test_new_points_do_not_depend_on_each_other(model: DiffResNetClassifier) -> None:
    points, _ = clusters(seed=0)
    new = points[::5] + 0.1
    alone = np.concatenate([model.predict_proba(one[None]) for one in new])
    assert np.allclose(model.predict_proba(new), alone, atol=1e-12)


def to_float32(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    return points.astype(np.float32)


@pytest.mark.parametrize(
    "kind",
    [
        list,
        to_float32,
        sparse.csr_array,
        sparse.csc_matrix,
        polars.DataFrame,
    ],
)
def test_kinds_of_features(kind: Callable[[Any], Any], model: DiffResNetClassifier) -> None:
    points, classes = clusters()
    found = DiffResNetClassifier().fit(kind(points), partly(classes))
    assert (found.transduction_ == model.transduction_).all()
    assert np.allclose(found.label_distributions_, model.label_distributions_, atol=1e-3)
    assert (found.predict(kind(points[:9])) == model.predict(points[:9])).all()


def test_sparse_features_of_very_many_columns() -> None:
    generator = np.random.default_rng(0)
    classes = np.repeat([0, 1, 2], 40)
    words = np.zeros((120, 6000))
    for row, one in enumerate(classes):
        words[row, 2000 * one + generator.integers(0, 50, 30)] = 1
    model = DiffResNetClassifier().fit(sparse.csr_array(words), partly(classes))
    assert (model.transduction_ == classes).all()
    assert (model.predict(sparse.csr_array(words[:50])) == classes[:50]).all()


@pytest.mark.parametrize(
    ("names", "missing"), [(["a", "b", "c"], ""), (["a", "b", "c"], None), ([4, 7, 9], -1)]
)
def test_kinds_of_labels(names: list[Any], missing: Any, model: DiffResNetClassifier) -> None:
    points, classes = clusters()
    labels = [missing if one < 0 else names[one] for one in partly(classes)]
    found = DiffResNetClassifier().fit(points, labels)
    assert found.classes_.tolist() == names
    assert found.transduction_.tolist() == [names[one] for one in classes]
    assert np.array_equal(found.label_distributions_, model.label_distributions_)


def test_graph_in_three_ways() -> None:
    points, classes = clusters()
    graph = build_weights(points, n_top=8).to_dense().numpy()
    labels = partly(classes)
    alone = DiffResNetClassifier().fit(None, labels, graph=graph)
    first = DiffResNetClassifier(graph="precomputed").fit(sparse.csr_array(graph), labels)
    both = DiffResNetClassifier().fit(points, labels, graph=graph)
    assert np.allclose(alone.label_distributions_, first.label_distributions_)
    for found in (alone, first, both):
        assert (found.transduction_ == classes).all()
    assert (first.predict(graph[::4]) == classes[::4]).all()
    assert (both.predict(points[::4]) == classes[::4]).all()


def test_a_component_without_labels_gets_the_prior() -> None:
    points, classes = clusters(n_classes=4, n_each=30)
    labels = partly(classes)
    labels[classes == 3] = -1
    with pytest.warns(UnreachedWarning, match="30 points in 1 component of the graph are") as said:
        model = DiffResNetClassifier().fit(points, labels)
    assert said[0].filename == __file__
    with pytest.warns(UnreachedWarning) as said:
        model.update_labels([1], [0])
    assert said[0].filename == __file__
    assert np.array_equal(model.reached_, classes != 3)
    assert np.allclose(model.label_distributions_[classes == 3], 1 / 3)
    assert np.allclose(model.predict_proba(points[classes == 3]), 1 / 3)
    assert (classes[model.suggest(1)] == 3).all()
    with pytest.warns(UnreachedWarning):
        model = DiffResNetClassifier(class_prior=[0.5, 0.3, 0.2]).fit(points, labels)
    assert np.allclose(model.label_distributions_[classes == 3], [0.5, 0.3, 0.2])


def test_class_prior_moves_the_predictions() -> None:
    generator = np.random.default_rng(0)
    points = generator.standard_normal((300, 5))
    labels = np.full(300, -1)
    labels[:6] = 0, 1, 0, 1, 0, 1
    share = (0.8, 0.2)
    free = DiffResNetClassifier().fit(points, labels).label_distributions_.mean(axis=0)
    held = DiffResNetClassifier(class_prior=share).fit(points, labels).label_distributions_
    assert abs(held.mean(axis=0)[0] - 0.8) < 0.03 < abs(free[0] - 0.8)


def test_labels_can_be_updated() -> None:
    points, classes = clusters()
    model = DiffResNetClassifier().fit(points, partly(classes))
    operator = model.operator_
    labels = partly(classes)
    labels[[5, 50, 100]] = 0, 1, 2
    model.update_labels([5, 50, 100], [0, 1, 2])
    anew = DiffResNetClassifier().fit(points, labels)
    assert model.operator_ is operator
    assert np.allclose(model.label_distributions_, anew.label_distributions_, atol=1e-5)
    model.update_labels([5, 50, 100], [-1, None, ""])
    assert (model.encoded_labels_ >= 0).sum() == 3
    model.update_labels(7, 3)
    assert model.classes_.tolist() == [0, 1, 2, 3]
    assert model.transduction_[7] == 3


def test_a_failed_update_changes_nothing(model: DiffResNetClassifier) -> None:
    before = model.label_distributions_.copy()
    for indices, labels in (([120], [1]), ([-1], [1]), ([0, 1], [1]), ([0], [0.5]), ([0], ["a"])):
        with pytest.raises(ValueError, match="must be"):
            model.update_labels(indices, labels)
    assert np.array_equal(model.label_distributions_, before)


@pytest.mark.parametrize("solver", ["mixture", "kernel", "network"])
def test_saved_and_loaded(solver: Any, tmp_path: Path) -> None:
    points, classes = clusters()
    names = np.array(["x", "y", "z"])[classes]
    labels = np.where(partly(classes, 2) < 0, "", names)
    model = DiffResNetClassifier(solver=solver, class_prior=(0.2, 0.3, 0.5)).fit(points, labels)
    loaded = DiffResNetClassifier.load(model.save(tmp_path / "model.npz"))
    assert loaded.get_params() == model.get_params() | {"class_prior": [0.2, 0.3, 0.5]}
    assert np.array_equal(loaded.label_distributions_, model.label_distributions_)
    assert np.array_equal(loaded.predict_proba(points[:9]), model.predict_proba(points[:9]))
    assert loaded.update_labels([7], ["y"]).transduction_[7] == "y"


def test_a_saved_graph_and_names_of_features(tmp_path: Path) -> None:
    points, classes = clusters()
    graph = build_weights(points, n_top=8)
    model = DiffResNetClassifier().fit(None, partly(classes), graph=graph)
    loaded = DiffResNetClassifier.load(model.save(tmp_path / "graph.npz"))
    assert np.array_equal(loaded.transduction_, model.transduction_)
    frame = polars.DataFrame(points, schema=[f"f{one}" for one in range(8)])
    model = DiffResNetClassifier().fit(frame, partly(classes))
    loaded = DiffResNetClassifier.load(model.save(tmp_path / "frame.npz"))
    assert (loaded.predict(frame) == model.predict(frame)).all()
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame.select(frame.columns[::-1]))


def test_pickles_and_clones(model: DiffResNetClassifier) -> None:
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    points, _ = clusters()
    assert np.allclose(again.predict_proba(points), model.predict_proba(points), atol=1e-6)
    assert not hasattr(clone(model), "classes_")


def test_in_pipelines_and_searches() -> None:
    points, classes = clusters()
    labels = partly(classes, 6)
    line = make_pipeline(StandardScaler(), DiffResNetClassifier())
    assert (line.fit(points, labels).predict(points) == classes).all()
    folds = LabeledKFold(3)
    assert (cross_val_score(line, points, labels, cv=folds) == 1).all()
    search = GridSearchCV(DiffResNetClassifier(), {"n_top": [5, 11]}, cv=folds)
    assert search.fit(points, labels).best_score_ == 1


def test_bad_input() -> None:
    points, classes = clusters()
    labels = partly(classes)
    calls: list[tuple[Callable[[], object], str]] = [
        (
            lambda: DiffResNetClassifier().fit(points, [0, 1, -1, -1, -1]),
            "DiffResNetClassifier.fit: `y` must be of 120 entries, one for each point, got 5 "
            "entries. Use -1 for points without a label.",
        ),
        (
            lambda: DiffResNetClassifier().fit(points, np.full(120, -1)),
            "DiffResNetClassifier.fit: `y` must be labels, at least two, got none but missing "
            "ones. Label at least one point of each class; -1, None, NaN and '' mean unlabeled.",
        ),
        (
            lambda: DiffResNetClassifier().fit(points, np.where(labels == 1, 1, -1)),
            "DiffResNetClassifier.fit: `y` must be labels of two classes or more, got only one "
            "class, 1. Label a point of another class. If -1 is one, call it 0: -1 means "
            "unlabeled.",
        ),
        (
            lambda: DiffResNetClassifier(step_size=5).fit(points, labels),
            "DiffResNetClassifier: `step_size` must be at most {bound}, the stability bound of "
            "this graph, got 5. Lower it and raise `n_steps` instead, or leave it to 'auto'.",
        ),
        (
            lambda: DiffResNetClassifier().fit(points, ["a", 1] + [None] * 118),
            "DiffResNetClassifier.fit: `y` must be labels that are text or numbers, got both. Make "
            "all of them text, or all of them numbers.",
        ),
        (
            lambda: DiffResNetClassifier().fit(None, labels),
            "DiffResNetClassifier.fit: `X` must be features, or None beside a graph, got None. "
            "Pass features, a graph, or both.",
        ),
        (
            lambda: DiffResNetClassifier().fit(points, labels, graph=np.eye(5)),
            "DiffResNetClassifier.fit: `graph` must be of 120 points, got 5 points. Give one row, "
            "or one label, for each point.",
        ),
        (
            lambda: DiffResNetClassifier(class_prior=[1, 2]).fit(points, labels),
            "DiffResNetClassifier: `class_prior` must be None, 'uniform', or 3 positive "
            "proportions, got [1, 2]. Give one for each of the classes [0, 1, 2], in order or by "
            "name.",
        ),
    ]
    bound = f"{DiffResNetClassifier().fit(points, labels).operator_.max_stable_step_size:.3g}"
    for call, message in calls:
        with pytest.raises(ValueError, match="must be") as error:
            call()
        assert str(error.value) == message.replace("{bound}", bound)


def test_many_components_each_with_a_label() -> None:
    graph = sparse.block_diag([np.ones((5, 5))] * 400)
    classes = np.arange(2000) // 5 % 2
    labels = np.where(np.arange(2000) % 5 == 0, classes, -1)
    found = DiffResNetClassifier().fit(None, labels, graph=graph)
    assert (found.transduction_ == classes).all()


def test_a_failed_fit_leaves_no_fitted_state() -> None:
    points, classes = clusters()
    model = DiffResNetClassifier()
    with pytest.raises(ValueError, match="none but missing"):
        model.fit(points[:, :2], np.full(120, -1))
    with pytest.raises(NotFittedError):
        model.predict(points)
    assert (model.fit(points, partly(classes)).predict(points) == classes).all()


def test_score_skips_points_without_a_label(model: DiffResNetClassifier) -> None:
    points, classes = clusters()
    assert model.score(points, partly(classes, 5)) == 1
    assert model.score(points, np.where(classes == 0, 1, classes)) == pytest.approx(2 / 3)


def test_the_scale_of_features_does_not_matter(model: DiffResNetClassifier) -> None:
    points, classes = clusters()
    for scale in (1e-200, 1e-30, 1e200):
        found = DiffResNetClassifier().fit(points * scale, partly(classes))
        assert np.allclose(found.label_distributions_, model.label_distributions_, atol=1e-3)


def test_saves_numbers_of_numpy(tmp_path: Path) -> None:
    points, classes = clusters()
    n_top: Any = np.int64(7)
    model = DiffResNetClassifier(n_top).fit(points, partly(classes))
    assert DiffResNetClassifier.load(model.save(tmp_path / "m.npz")).n_top == 7


def test_same_seed_same_result(model: DiffResNetClassifier) -> None:
    points, classes = clusters()
    again = DiffResNetClassifier().fit(points, partly(classes))
    assert np.array_equal(again.label_distributions_, model.label_distributions_)


def test_hard_cases() -> None:
    labels = np.array([0, 1, -1, -1, -1, -1])
    for points in (np.zeros((6, 2)), np.ones((6, 1)), np.arange(6.0)[:, None] * 1e200):
        probabilities = DiffResNetClassifier().fit(points, labels).label_distributions_
        assert np.isfinite(probabilities).all()
        assert np.allclose(probabilities.sum(axis=1), 1)
    two = DiffResNetClassifier().fit([[0.0], [1.0]], ["a", "b"])
    assert two.transduction_.tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("search", "limit", "expected"),
    [("auto", 10, "approximate"), ("auto", 1000, "exact"), ("exact", 10, "exact")],
)
def test_search(
    monkeypatch: pytest.MonkeyPatch,
    search: Literal["auto", "exact"],
    limit: int,
    expected: str,
) -> None:
    asked: list[str] = []

    def ask(function: str, argument: str, points: Any, n_near: int, search: Search) -> Neighbors:
        asked.append(search)
        return search_neighbors(function, argument, points, n_near, search)

    monkeypatch.setattr(diffresnet.estimators.points, "search_neighbors", ask)
    monkeypatch.setattr(diffresnet.estimators.input, "LARGEST_EXACT_SEARCH", limit)
    points, classes = clusters()
    DiffResNetClassifier(search=search).fit(points, partly(classes))
    assert asked == [expected]


def test_a_failed_refit_changes_nothing() -> None:
    points, classes = clusters()
    labels = partly(classes)
    frame = polars.DataFrame(points, schema=[f"f{one}" for one in range(8)])
    model = DiffResNetClassifier().fit(frame, labels)
    before = model.predict_proba(frame)
    model.class_prior = [1, 2]
    with pytest.raises(ValueError, match="class_prior"):
        model.fit(points[:, :3], labels)
    with pytest.raises(ValueError, match="`y` must be"):
        model.fit(points[:, :3], labels[:5])
    assert np.array_equal(model.predict_proba(frame), before)
    model.class_prior = None
    model.fit(None, labels, graph=build_weights(points, 8))
    assert not hasattr(model, "feature_names_in_")


def test_what_cannot_be_scored(model: DiffResNetClassifier) -> None:
    points, classes = clusters()
    with pytest.raises(ValueError, match="score: `y` must be labels of some points"):
        model.score(points, np.full(120, -1))
    with pytest.raises(ValueError, match="score: `y` must be of the kind of the classes"):
        model.score(points, classes.astype(str))
    with pytest.raises(ValueError, match="class_prior` must be None, 'uniform', or 3 positive"):
        DiffResNetClassifier(class_prior=["a", "b", "c"]).fit(points, partly(classes))
    with pytest.raises(NotFittedError):
        _ = DiffResNetClassifier().embedding_


@pytest.mark.parametrize("labels", [[0, 0, 1, 1, -1, -1], [0, 1, -1, -1, -1, -1]])
def test_constant_features(labels: list[int]) -> None:
    found = DiffResNetClassifier().fit(np.ones((6, 3)), labels).label_distributions_
    assert np.allclose(found.sum(axis=1), 1)


def test_a_prior_by_name_is_saved(tmp_path: Path) -> None:
    points, classes = clusters()
    prior = {2: 0.5, 0: 0.2, 1: 0.3}
    model = DiffResNetClassifier(class_prior=prior).fit(points, partly(classes, 2))
    again = DiffResNetClassifier.load(model.save(tmp_path / "model.npz"))
    assert np.array_equal(again.label_distributions_, model.label_distributions_)


def test_suggest_first_leaves_the_model_alone() -> None:
    points, classes = clusters()
    model = DiffResNetClassifier().fit(points, partly(classes))
    model.suggest_first(points[:, :3], 2)
    assert model.predict(points).shape == (120,)


def test_parameters_are_checked_before_labels_are_learned_anew() -> None:
    points, classes = clusters()
    model = DiffResNetClassifier().fit(points, partly(classes))
    with pytest.raises(ValueError, match="`label_sampling` must be"):
        model.set_params(label_sampling="always").update_labels([5], [0])


def test_an_update_of_nothing_changes_nothing() -> None:
    points, classes = clusters()
    model = DiffResNetClassifier().fit(points, partly(classes))
    before = model.label_distributions_
    assert np.array_equal(model.update_labels([], []).label_distributions_, before)


def test_an_update_of_nothing_keeps_answers_whose_choices_stay() -> None:
    digits: Any = load_digits()
    labels = np.where(np.arange(1797) < 60, digits.target, -1)
    model = DiffResNetClassifier().fit(digits.data, labels)
    before = model.label_distributions_
    again = model.update_labels([], []).label_distributions_
    assert np.allclose(again, before, atol=1e-3)


def test_a_class_in_place_of_another_is_learned_anew() -> None:
    digits: Any = load_digits()
    labels = np.where(np.arange(1797) < 150, digits.target, -1)
    model = DiffResNetClassifier().fit(digits.data, labels)
    rows = np.flatnonzero(labels == 9)
    model.update_labels(rows, np.full(len(rows), 11))
    anew = DiffResNetClassifier().fit(digits.data, np.where(labels == 9, 11, labels))
    assert np.allclose(model.label_distributions_, anew.label_distributions_, atol=1e-4)


@pytest.mark.parametrize("kept", [2**28, 0])
def test_copies_and_rooms_change_nothing(kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diffresnet.estimators.parts.kept_columns.LARGEST_KEPT", kept)
    points, classes = clusters()
    model = DiffResNetClassifier().fit(points, partly(classes, 3))
    expected = model.predict_proba(points + 0.01)
    for other in (deepcopy(model), pickle.loads(pickle.dumps(model))):  # noqa: S301  (our own)
        assert np.allclose(other.predict_proba(points + 0.01), expected, atol=1e-5)
        other.update_labels([7], [0])
    assert np.array_equal(model.predict_proba(points + 0.01), expected)


@pytest.mark.parametrize("given", [None, np.zeros((3, 2)), np.zeros(4)])
def test_a_model_of_a_graph_alone_says_what_new_points_are(given: Any) -> None:
    points, classes = clusters()
    model = DiffResNetClassifier().fit(None, partly(classes), graph=build_weights(points, 8))
    for ask in (model.predict, model.predict_proba):
        with pytest.raises(ValueError, match="weights of links to the fitted points: there was a"):
            ask(given)
