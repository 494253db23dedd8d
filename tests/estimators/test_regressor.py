import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from diffresnet import DiffResNetClassifier, DiffResNetRegressor, build_weights
from diffresnet.estimators import UnreachedWarning
from tests.estimators.examples import clusters, partly

Floats = npt.NDArray[np.float64]


@parametrize_with_checks([DiffResNetRegressor()])
def test_keeps_the_contract(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


def spiral(n_points: int = 400, noise: float = 0.1, seed: int = 0) -> tuple[Floats, Floats]:
    """Return points along a noisy spiral, and where they are on it."""
    generator = np.random.default_rng(seed)
    angle = np.sort(generator.uniform(3, 15, n_points))
    points = np.stack([angle * np.cos(angle), angle * np.sin(angle)], axis=1)
    return points + noise * generator.standard_normal((n_points, 2)), angle


def some(values: Floats, n_values: int, seed: int = 0) -> Floats:
    """Return some of the values, NaN for the others."""
    chosen = np.random.default_rng(seed).permutation(len(values))[:n_values]
    given = np.full(len(values), np.nan)
    given[chosen] = values[chosen]
    return given


POINTS, ANGLE = spiral()
GIVEN = some(ANGLE, 40)


@pytest.fixture(scope="module")
def model() -> DiffResNetRegressor:
    return DiffResNetRegressor().fit(POINTS, GIVEN)


def missed(found: Floats, truth: Floats, given: Floats) -> float:
    """Return the part of the variance that is not explained where there was no value."""
    rest = np.isnan(given)
    return float(np.mean((found - truth)[rest] ** 2) / np.var(truth[rest]))


def test_the_graph_helps_on_a_spiral() -> None:
    wave = np.sin(1.5 * ANGLE)
    for seed in range(3):
        given = some(wave, 30, seed)
        own = missed(DiffResNetRegressor().fit(POINTS, given).transduction_, wave, given)
        rows = np.flatnonzero(~np.isnan(given))
        for other in (RidgeCV(np.logspace(-4, 4, 17)), KNeighborsRegressor(2, weights="distance")):
            assert own < missed(other.fit(POINTS[rows], given[rows]).predict(POINTS), wave, given)


def test_as_good_as_ridge_regression_on_real_data_and_better_than_neighbors() -> None:
    data: Any = load_diabetes()
    own, ridge, neighbors = [], [], []
    for seed in range(10):
        given = some(data.target, 50, seed)
        rows = np.flatnonzero(~np.isnan(given))
        found = DiffResNetRegressor().fit(data.data, given).transduction_
        own.append(1 - missed(found, data.target, given))
        line = RidgeCV(np.logspace(-4, 4, 17)).fit(data.data[rows], given[rows])
        ridge.append(1 - missed(line.predict(data.data), data.target, given))
        near = KNeighborsRegressor(8).fit(data.data[rows], given[rows])
        neighbors.append(1 - missed(near.predict(data.data), data.target, given))
    assert np.mean(own) > np.mean(ridge) - 0.02
    assert np.mean(own) > np.mean(neighbors) + 0.03
    assert np.mean(own) > 0.37


def test_fitted_values_are_those_given_or_predicted(model: DiffResNetRegressor) -> None:
    has_value = ~np.isnan(GIVEN)
    assert np.array_equal(model.transduction_[has_value], GIVEN[has_value])
    assert missed(model.transduction_, ANGLE, GIVEN) < 0.01
    assert model.reached_.all()
    assert sum(model.part_weights_.values()) == pytest.approx(1)
    assert next(iter(model.part_weights_)) == "values spread over the graph"
    found = model.predict(POINTS)
    assert np.abs(found - model.transduction_)[~has_value].mean() < 0.1
    assert GIVEN[has_value].min() <= found.min() <= found.max() <= GIVEN[has_value].max()


def test_new_points_do_not_depend_on_each_other(model: DiffResNetRegressor) -> None:
    new = POINTS[::40] + 0.05
    alone = np.concatenate([model.predict(one[None]) for one in new])
    assert np.allclose(model.predict(new), alone, atol=1e-9)
    ends = np.concatenate([model.predict_interval(one[None]) for one in new])
    assert np.allclose(model.predict_interval(new), ends, atol=1e-9)


def test_units_of_the_values_do_not_matter(model: DiffResNetRegressor) -> None:
    for scale, zero in ((1e-200, 0.0), (-1e6, 3.0), (1e200, 0.0)):
        found = DiffResNetRegressor().fit(POINTS, scale * GIVEN + zero)
        back = (found.transduction_ - zero) / scale
        assert np.allclose(back, model.transduction_, atol=1e-6)


def test_the_order_of_rows_does_not_matter(model: DiffResNetRegressor) -> None:
    order = np.random.default_rng(0).permutation(len(POINTS))
    found = DiffResNetRegressor().fit(POINTS[order], GIVEN[order])
    assert np.allclose(found.transduction_, model.transduction_[order], atol=1e-3)
    ends = found.predict_interval(), model.predict_interval()[order]
    assert np.allclose(*ends, atol=1e-2)


def test_copies_are_one_point_with_the_mean_value(model: DiffResNetRegressor) -> None:
    row = int(np.flatnonzero(~np.isnan(GIVEN))[0])
    others = np.repeat(np.arange(50, 56), 20)
    more = np.concatenate([POINTS, POINTS[[row, row]], POINTS[others]])
    values = np.concatenate([GIVEN, GIVEN[row] + [-0.5, 0.5], np.full(120, np.nan)])
    found = DiffResNetRegressor().fit(more, values)
    assert found.operator_.n_points == len(POINTS)
    assert np.allclose(found.transduction_[:400], model.transduction_)
    assert np.allclose(found.transduction_[[400, 401]], GIVEN[row])
    assert np.allclose(found.transduction_[402:], model.transduction_[others])
    assert len(found.reached_) == len(found.predict_interval()) == len(more)
    assert found.values_[401] == GIVEN[row] + 0.5


def to_float32(points: Floats) -> npt.NDArray[np.float32]:
    return points.astype(np.float32)


@pytest.mark.parametrize("kind", [list, to_float32, sparse.csr_array, polars.DataFrame])
def test_kinds_of_features(kind: Callable[[Any], Any], model: DiffResNetRegressor) -> None:
    values = [None if np.isnan(one) else one for one in GIVEN]
    found = DiffResNetRegressor().fit(kind(POINTS), values)
    assert np.allclose(found.transduction_, model.transduction_, atol=1e-2)
    assert np.allclose(found.predict(kind(POINTS[:9])), model.predict(POINTS[:9]), atol=1e-2)


def test_graph_in_three_ways() -> None:
    graph = build_weights(POINTS, n_top=8).to_dense().numpy()
    alone = DiffResNetRegressor().fit(None, GIVEN, graph=graph)
    first = DiffResNetRegressor(graph="precomputed").fit(sparse.csr_array(graph), GIVEN)
    both = DiffResNetRegressor().fit(POINTS, GIVEN, graph=graph)
    assert np.allclose(alone.transduction_, first.transduction_)
    for found in (alone, first, both):
        assert missed(found.transduction_, ANGLE, GIVEN) < 0.05
    assert list(alone.part_weights_) == ["values spread over the graph"]
    assert np.abs(first.predict(graph[::4]) - ANGLE[::4]).mean() < 0.7
    assert np.abs(both.predict(POINTS[::4]) - ANGLE[::4]).mean() < 0.5
    assert both.predict_interval(POINTS[::4]).shape == (100, 2)


def test_points_that_no_value_reaches_get_the_mean() -> None:
    points, classes = clusters(n_classes=4, n_each=30)
    values = np.where(np.arange(120) % 3 == 0, classes + 0.1 * np.sin(np.arange(120)), np.nan)
    values[classes == 3] = np.nan
    with pytest.warns(UnreachedWarning) as said:
        model = DiffResNetRegressor().fit(points, values)
    assert str(said[0].message) == (
        "DiffResNetRegressor: 30 points in 1 component of the graph are not connected to any value "
        "and get the mean of the values. Give the value of one of each, raise `n_top`, or add "
        "links."
    )
    assert said[0].filename == __file__
    assert np.array_equal(model.reached_, classes != 3)
    mean = np.nanmean(values)
    assert np.allclose(model.transduction_[classes == 3], mean)
    assert np.allclose(model.predict(points[classes == 3]), mean)
    with pytest.warns(UnreachedWarning) as said:
        model.update_values([1], [0.5])
    assert said[0].filename == __file__
    assert model.update_values([119], [3.0]).reached_.all()


@pytest.mark.parametrize("n_values", [20, 60])
def test_intervals_hold_the_value_as_often_as_asked(n_values: int) -> None:
    data: Any = load_diabetes()
    hits: dict[float, list[float]] = {0.7: [], 0.9: []}
    for seed in range(10):
        given = some(data.target, n_values, seed)
        model = DiffResNetRegressor().fit(data.data, given)
        rest = np.isnan(given)
        for coverage, found in hits.items():
            low, high = model.predict_interval(coverage=coverage)[rest].T
            found.append(float(np.mean((low <= data.target[rest]) & (data.target[rest] <= high))))
    for coverage, found in hits.items():
        assert np.mean(found) == pytest.approx(coverage, abs=0.06)


def test_intervals_are_wider_where_values_are_noisier() -> None:
    generator = np.random.default_rng(0)
    points = generator.uniform(-3, 3, (600, 2))
    noise = np.where(points[:, 1] > 0, 0.6, 0.1) * generator.standard_normal(600)
    truth = np.sin(points[:, 0]) + noise
    given = some(truth, 200)
    low, high = DiffResNetRegressor().fit(points, given).predict_interval().T
    wide = (high - low)[np.isnan(given)]
    noisy = points[np.isnan(given), 1] > 0
    assert wide[noisy].mean() > 1.5 * wide[~noisy].mean()
    inside = ((low <= truth) & (truth <= high))[np.isnan(given)]
    assert inside.mean() == pytest.approx(0.9, abs=0.05)


def test_intervals_of_given_values_and_refusals(model: DiffResNetRegressor) -> None:
    ends = model.predict_interval(coverage=0.5)
    assert (ends[:, 0] <= model.transduction_).all()
    assert (model.transduction_ <= ends[:, 1]).all()
    has_value = ~np.isnan(GIVEN)
    assert np.array_equal(ends[has_value], np.stack([GIVEN[has_value]] * 2, axis=1))
    wider = model.predict_interval(coverage=0.9)
    assert (np.diff(wider, axis=1) >= np.diff(ends, axis=1)).all()
    few = DiffResNetRegressor().fit(POINTS, some(ANGLE, 5))
    calls: list[tuple[Callable[[], object], str]] = [
        (
            few.predict_interval,
            "DiffResNetRegressor.predict_interval: `coverage` must be low enough for 5 values that "
            "can be held out, got 0.9. It takes 9 of them, at different points. Give more values.",
        ),
        (
            lambda: model.predict_interval(coverage=1.0),
            "DiffResNetRegressor.predict_interval: `coverage` must be below 1, got 1.0. Take 0.9, "
            "for instance.",
        ),
        (
            lambda: model.predict_interval(coverage=-0.5),
            "DiffResNetRegressor.predict_interval: `coverage` must be a finite positive number, "
            "got -0.5. Pass a positive `coverage`.",
        ),
        (
            lambda: (
                DiffResNetRegressor().fit(POINTS, some(ANGLE, 1)).predict_interval(coverage=0.1)
            ),
            "DiffResNetRegressor.predict_interval: `coverage` must be low enough for 1 values that "
            "can be held out, got 0.1. It takes 2 of them, at different points. Give more values.",
        ),
    ]
    for call, message in calls:
        with pytest.raises(ValueError, match="must be") as error:
            call()
        assert str(error.value) == message


def test_values_can_be_updated() -> None:
    model = DiffResNetRegressor().fit(POINTS, GIVEN)
    operator, rows = model.operator_, np.flatnonzero(np.isnan(GIVEN))[:3]
    given = GIVEN.copy()
    given[rows] = ANGLE[rows]
    model.update_values(rows, ANGLE[rows])
    assert model.operator_ is operator
    anew = DiffResNetRegressor().fit(POINTS, given)
    assert np.allclose(model.transduction_, anew.transduction_, rtol=1e-4)
    model.update_values(rows, [None, np.nan, None])
    assert np.array_equal(model.values_, GIVEN, equal_nan=True)
    assert model.update_values(int(rows[0]), 7.5).transduction_[rows[0]] == 7.5
    before = model.transduction_
    assert np.array_equal(model.update_values([], []).transduction_, before)


def test_a_failed_update_changes_nothing(model: DiffResNetRegressor) -> None:
    before = model.transduction_.copy()
    rows = np.flatnonzero(~np.isnan(GIVEN))
    name = "DiffResNetRegressor.update_values"
    calls: list[tuple[Any, Any, str]] = [
        (
            [400],
            [1.0],
            f"{name}: `indices` must be whole numbers from 0 to 399, got [400]. Pass row numbers "
            "of the fitted points.",
        ),
        (
            [0, 1],
            [1.0],
            f"{name}: `values` must be 2 values, got 1. Pass one value for each index.",
        ),
        (
            [1, 1],
            [1.0, 2.0],
            f"{name}: `indices` must be different, got [1 1]. Give each point once.",
        ),
        (
            [1],
            ["a"],
            f"{name}: `values` must be real numbers, got dtype <U1. Pass numbers; None and NaN "
            "mean that there is no value.",
        ),
        (
            rows,
            np.full(len(rows), np.nan),
            f"{name}: `values` must be values of some points, got none but missing ones. Give the "
            "value of a point, better of many.",
        ),
    ]
    for indices, values, message in calls:
        with pytest.raises(ValueError, match="must be") as error:
            model.update_values(indices, values)
        assert str(error.value) == message
    assert np.array_equal(model.transduction_, before)


def test_saved_and_loaded(tmp_path: Path) -> None:
    frame = polars.DataFrame(POINTS, schema=["a", "b"])
    model = DiffResNetRegressor(n_top=9, random_state=np.random.RandomState(2)).fit(frame, GIVEN)
    loaded = DiffResNetRegressor.load(model.save(tmp_path / "model.npz"))
    assert loaded.get_params() == model.get_params() | {"random_state": model.seed_}
    assert np.array_equal(loaded.transduction_, model.transduction_)
    assert np.array_equal(loaded.predict(frame), model.predict(frame))
    assert np.array_equal(loaded.predict_interval(), model.predict_interval())
    assert loaded.update_values([7], [2.0]).transduction_[7] == 2.0
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame.select(["b", "a"]))


def test_files_of_other_estimators(tmp_path: Path, model: DiffResNetRegressor) -> None:
    points, classes = clusters()
    path = DiffResNetClassifier().fit(points, partly(classes)).save(tmp_path / "classes.npz")
    with pytest.raises(ValueError, match="must be") as error:
        DiffResNetRegressor.load(path)
    assert str(error.value) == (
        f"DiffResNetRegressor.load: `path` must be a saved DiffResNetRegressor, got {path}, a "
        "DiffResNetClassifier. Read it by `DiffResNetClassifier.load`."
    )
    with pytest.raises(ValueError, match=r"Read it by `DiffResNetRegressor\.load`"):
        DiffResNetClassifier.load(model.save(tmp_path / "values.npz"))


def test_pickles_clones_and_the_same_seed(model: DiffResNetRegressor) -> None:
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert np.array_equal(again.predict(POINTS), model.predict(POINTS))
    assert not hasattr(clone(model), "transduction_")
    anew = DiffResNetRegressor().fit(POINTS, GIVEN)
    assert np.array_equal(anew.transduction_, model.transduction_)


def test_in_pipelines_and_searches() -> None:
    line = make_pipeline(StandardScaler(), DiffResNetRegressor())
    assert line.fit(POINTS, GIVEN).score(POINTS, ANGLE) > 0.95
    folds = KFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(DiffResNetRegressor(), {"n_top": [5, 11]}, cv=folds)
    assert search.fit(POINTS[::4], ANGLE[::4]).best_score_ > 0.9


def test_score_skips_points_without_a_value(model: DiffResNetRegressor) -> None:
    found = model.predict(POINTS)
    truth = some(ANGLE, 100, seed=3)
    rows = ~np.isnan(truth)
    expected = 1 - np.mean((found - ANGLE)[rows] ** 2) / np.var(ANGLE[rows])
    assert model.score(POINTS, truth) == pytest.approx(expected)
    twice = np.where(np.arange(400) % 2 == 0, 2.0, 1.0)
    assert model.score(POINTS, truth, sample_weight=twice) != pytest.approx(expected)


def test_bad_input(model: DiffResNetRegressor) -> None:
    calls: list[tuple[Callable[[], object], str]] = [
        (
            lambda: DiffResNetRegressor(n_top=1).fit(POINTS, GIVEN),
            "DiffResNetRegressor: `n_top` must be at least 2, got 1. Raise `n_top`.",
        ),
        (
            lambda: DiffResNetRegressor().fit(POINTS, ANGLE[:5]),
            "DiffResNetRegressor.fit: `y` must be of 400 entries, one for each point, got 5 "
            "entries. Use NaN for points without a value.",
        ),
        (
            lambda: DiffResNetRegressor().fit(POINTS, np.full(400, np.nan)),
            "DiffResNetRegressor.fit: `y` must be values of some points, got none but missing "
            "ones. Give the value of a point, better of many.",
        ),
        (
            lambda: DiffResNetRegressor().fit(POINTS, None),
            "This DiffResNetRegressor estimator requires y to be passed, but the target y is None.",
        ),
        (
            lambda: DiffResNetRegressor().fit(None, GIVEN),
            "DiffResNetRegressor.fit: `X` must be features, or None beside a graph, got None. "
            "Pass features, a graph, or both.",
        ),
        (
            lambda: DiffResNetRegressor().fit(POINTS, GIVEN, graph=np.eye(5)),
            "DiffResNetRegressor.fit: `graph` must be of 400 points, got 5 points. Give one row, "
            "or one label, for each point.",
        ),
        (
            lambda: DiffResNetRegressor(graph="precomputed").fit(POINTS, GIVEN, graph=np.eye(5)),
            "DiffResNetRegressor.fit: `graph` must be None if X is the graph, got both. Drop "
            "`graph`, or make the estimator with `graph='features'`.",
        ),
        (
            lambda: model.score(POINTS, np.full(400, np.nan)),
            "DiffResNetRegressor.score: `y` must be values of some points, got none but missing "
            "ones. Give the value of a point, better of many.",
        ),
    ]
    for call, message in calls:
        with pytest.raises(ValueError, match=r"must be|requires y") as error:
            call()
        assert str(error.value) == message
    with pytest.raises(NotFittedError):
        DiffResNetRegressor().predict(POINTS)


def test_a_failed_refit_changes_nothing() -> None:
    frame = polars.DataFrame(POINTS, schema=["a", "b"])
    model = DiffResNetRegressor().fit(frame, GIVEN)
    before = model.predict(frame)
    with pytest.raises(ValueError, match="`y` must be"):
        model.fit(POINTS[:, :1], GIVEN[:7])
    assert np.array_equal(model.predict(frame), before)


def test_hard_cases() -> None:
    values = [1.0, 2.0, np.nan, np.nan, np.nan, np.nan]
    for points in (np.zeros((6, 2)), np.ones((6, 1)), np.arange(6.0)[:, None] * 1e200):
        found = DiffResNetRegressor().fit(points, values).transduction_
        assert np.isfinite(found).all()
    equal = DiffResNetRegressor().fit(np.zeros((6, 2)), values)
    assert equal.transduction_.tolist() == [1.5] * 6
    one = DiffResNetRegressor().fit(POINTS, some(ANGLE, 1))
    assert len(np.unique(one.transduction_)) == 1
    constant = DiffResNetRegressor().fit(POINTS, np.where(np.isnan(GIVEN), np.nan, 4.0))
    assert np.allclose(constant.transduction_, 4)
    assert np.allclose(constant.predict_interval(), 4)
    every = DiffResNetRegressor().fit(POINTS, ANGLE)
    assert np.array_equal(every.transduction_, ANGLE)


def test_score_of_very_large_values() -> None:
    truth = ANGLE * 1e300
    model = DiffResNetRegressor().fit(POINTS, np.where(np.arange(400) % 4 == 0, truth, np.nan))
    moderate = DiffResNetRegressor().fit(POINTS, np.where(np.arange(400) % 4 == 0, ANGLE, np.nan))
    assert model.score(POINTS, truth) == pytest.approx(moderate.score(POINTS, ANGLE))


def test_intervals_of_very_large_values() -> None:
    values = np.where(np.arange(20) < 10, np.where(np.arange(20) % 2, 1e308, -1e308), np.nan)
    links = np.zeros((20, 20))
    links[0, 1] = links[1, 0] = 1.0
    with pytest.warns(UnreachedWarning):
        model = DiffResNetRegressor().fit(None, values, graph=links)
    ends = model.predict_interval(coverage=0.5)
    assert np.isfinite(ends).all()
    assert (ends[:, 0] <= ends[:, 1]).all()
