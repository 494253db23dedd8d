"""What holds for every estimator, whatever it is given."""

import sys
import tempfile
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import diffresnet.estimators
from diffresnet.estimators import (
    DiffResNetClassifier,
    DiffResNetMultiLabelClassifier,
    DiffResNetRegressor,
    UnreachedWarning,
)
from diffresnet.graph import exact_search, product

Array = npt.NDArray[Any]
KINDS: tuple[type[Any], ...] = (
    DiffResNetClassifier,
    DiffResNetRegressor,
    DiffResNetMultiLabelClassifier,
)
ESTIMATORS = Path(diffresnet.estimators.__file__).parent
some_examples = settings(max_examples=15)
each_kind = pytest.mark.parametrize("kind", KINDS)


@dataclass(frozen=True)
class Case:
    """An estimator and what it is given.

    Attributes:
        kind: of the estimator.
        points: (N, d) dense or sparse; some rows may be copies of others.
        y: (N,) or (N, 2) what is known, most of it missing.
        later: the same after an update.
        changed: which rows differ.
        new: (5, d) other points.
    """

    kind: type[Any]
    points: Any
    y: Array
    later: Array
    changed: Array
    new: Array

    def fit(self, **parameters: Any) -> Any:
        with without_warnings():
            return self.kind(**parameters).fit(self.points, self.y)

    def update(self, model: Any) -> None:
        values = self.later[self.changed]
        with without_warnings():
            if self.kind is DiffResNetRegressor:
                model.update_values(self.changed, values)
            elif self.kind is DiffResNetClassifier:
                model.update_labels(self.changed, values)
            else:
                columns = np.tile([0, 1], len(self.changed))
                model.update_labels(self.changed.repeat(2), columns, values.ravel())

    def results(self, model: Any) -> dict[str, Array]:
        """Return what a fitted estimator says of the fitted points and of new ones."""
        found = {"fitted": model.transduction_, "reached": model.reached_}
        found |= {"new": model.predict(self.new)}
        if self.kind is not DiffResNetRegressor:
            found |= {"fitted probabilities": model.label_distributions_}
            found |= {"new probabilities": model.predict_proba(self.new)}
        return {name: np.array(value) for name, value in found.items()}


@contextmanager
def without_warnings() -> Generator[None]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=UserWarning)
        yield


def make_case(kind: type[Any], seed: int, n_points: int, n_features: int, n_copies: int) -> Case:
    """Return points around two centers, of which a few are known."""
    generator = np.random.default_rng(seed)
    classes = np.arange(n_points) % 2
    points = generator.standard_normal((n_points, n_features)) + 2 * classes[:, None]
    copied = generator.integers(0, n_points, n_copies)
    points, classes = np.concatenate([points, points[copied]]), np.r_[classes, classes[copied]]
    truth, missing = classes, -1
    if kind is DiffResNetRegressor:
        truth, missing = points.sum(axis=1), np.nan
    if kind is DiffResNetMultiLabelClassifier:
        truth = np.stack([classes, points[:, 0] > 1], axis=1).astype(np.int64)
    others = generator.permutation(np.arange(2, len(truth)))
    n_known = generator.integers(2, 9)
    y = np.full_like(truth, missing)
    y[:2], y[others[:n_known]] = truth[:2], truth[others[:n_known]]
    later, removed, added = y.copy(), others[:2], others[n_known : n_known + 3]
    later[removed], later[added] = missing, truth[added]
    new = generator.standard_normal((5, n_features))
    return Case(kind, points, y, later, np.r_[removed, added], new)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    sizes = [draw(st.integers(*ends)) for ends in ((0, 9999), (12, 40), (1, 20), (0, 8))]
    case = make_case(draw(st.sampled_from(KINDS)), *sizes)
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    points, new = case.points.astype(dtype), case.new.astype(dtype)
    if draw(st.booleans()):
        points, new = sparse.csr_array(points), sparse.csr_array(new)
    return replace(case, points=points, new=new)


def known_rows(y: Array) -> Array:
    """Return the rows of which everything is known."""
    return np.flatnonzero(~(np.isnan(y) | (y == -1)).reshape(len(y), -1).any(axis=1))


def assert_same(found: dict[str, Array], expected: dict[str, Array]) -> None:
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)


def assert_close(found: dict[str, Array], expected: dict[str, Array]) -> None:
    """Columns of kernels that were kept are summed in another order."""
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        if np.asarray(value).dtype.kind == "f":
            limit = 1e-5 * max(1.0, float(np.nanmax(np.abs(value), initial=0)))
            np.testing.assert_allclose(found[name], value, rtol=1e-4, atol=limit, err_msg=name)
        else:
            np.testing.assert_array_equal(found[name], value, err_msg=name)


@some_examples
@given(cases())
def test_probabilities_are_some_and_values_stay_in_their_range(case: Case) -> None:
    found = case.results(case.fit())
    if case.kind is DiffResNetRegressor:
        for name in ("fitted", "new"):
            assert found[name].min() >= np.nanmin(case.y) - 1e-9
            assert found[name].max() <= np.nanmax(case.y) + 1e-9
        return
    for name in ("fitted probabilities", "new probabilities"):
        assert np.all((found[name] >= 0) & (found[name] <= 1))
        if case.kind is DiffResNetClassifier:
            np.testing.assert_allclose(found[name].sum(axis=1), 1, rtol=1e-6)


@some_examples
@given(cases(), st.integers(0, 9999))
def test_what_is_known_is_kept_but_for_copies_that_disagree(case: Case, seed: int) -> None:
    y = case.y.copy()
    wrong = np.random.default_rng(seed).permutation(known_rows(y)[2:])[:2]
    y[wrong] = 1 - y[wrong]  # whatever it is, it is not what copies of the row have
    model = replace(case, y=y).fit()
    point, single = model.copies_.point, y.reshape(len(y), -1)
    answers = model.transduction_.reshape(len(y), -1)
    for column in range(single.shape[1]):
        known = known_rows(single[:, column])
        for row in known[answers[known, column] != single[known, column]]:
            copies = known[point[known] == point[row]]
            assert len(np.unique(single[copies, column])) > 1
            if case.kind is DiffResNetClassifier and len(known) > 4:
                assert any(row in rows for rows in model.audit().contradictions)


@some_examples
@given(cases())
def test_a_fit_is_the_same_again_and_leaves_its_input_alone(case: Case) -> None:
    points, y = case.points.copy(), case.y.copy()
    model = case.fit()
    assert_same(case.results(case.fit()), case.results(model))
    case.update(model)
    np.testing.assert_array_equal(case.y, y)
    parts = [(case.points, points)]
    if sparse.issparse(points):
        parts = [(getattr(case.points, one), getattr(points, one)) for one in ("data", "indices")]
    for after, before in parts:
        np.testing.assert_array_equal(after, before)


@each_kind
def test_threads_change_nothing(kind: type[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact_search, "BLOCK_SIZE", 10_000)  # many blocks to share
    monkeypatch.setattr(product, "CACHED", 1)
    case = make_case(kind, 0, 220, 20, 4)
    expected = case.results(case.fit(n_jobs=1))
    for n_jobs in (None, 3, -1):
        assert_same(case.results(case.fit(n_jobs=n_jobs)), expected)


@some_examples
@given(cases(), st.integers(0, 9999))
def test_the_order_of_rows_changes_nothing(case: Case, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(case.y))
    moved = replace(case, points=case.points[order], y=case.y[order])
    expected, found = case.results(case.fit()), moved.results(moved.fit())
    for name in ("fitted", "reached", "fitted probabilities"):
        if name in expected:
            expected[name] = expected[name][order]
    assert_same(found, expected)


@some_examples
@given(cases())
def test_an_update_is_as_good_as_a_fresh_fit(case: Case) -> None:
    model = case.fit()
    case.update(model)
    fresh = replace(case, y=case.later)
    assert_close(case.results(model), fresh.results(fresh.fit()))


@some_examples
@given(cases())
def test_a_file_holds_it_all(case: Case) -> None:
    model = case.fit()
    with tempfile.TemporaryDirectory() as folder, without_warnings():
        read = case.kind.load(model.save(Path(folder) / "model.npz"))
    assert_same(case.results(read), case.results(model))
    assert read.get_params() == model.get_params()
    case.update(read)
    case.update(model)
    assert_same(case.results(read), case.results(model))


def is_unchanged(model: Any, before: dict[str, Any]) -> bool:
    after = vars(model)
    return after.keys() == before.keys() and all(after[name] is before[name] for name in before)


def refusals(case: Case, model: Any) -> Generator[Callable[[], object]]:
    """Yield calls that a fitted estimator refuses, early and late."""
    points, y = case.points, case.y
    yield lambda: model.fit(points, None)
    yield lambda: model.fit(points[:, :1], y[1:])
    yield lambda: model.fit(points[:, :1], np.full_like(y, -1 if y.dtype.kind == "i" else np.nan))
    yield lambda: model.fit([["a"]] * len(y), y)
    yield lambda: model.fit(points[:, :1], y, graph=np.eye(3))
    yield lambda: model.fit(None, y)
    update = getattr(model, "update_values", None) or model.update_labels
    more = () if y.ndim == 1 else ([0],)
    yield lambda: update([len(y)], *more, [1])
    yield lambda: update([0], *more, [1, 0])
    yield lambda: update([0, 0], *(2 * one for one in more), [1, 0])
    if isinstance(model, DiffResNetClassifier):
        return  # which goes on without any label
    known = known_rows(y) if y.ndim == 1 else np.arange(len(y))
    nothing = [None] * len(known)
    yield lambda: update(known, *(len(known) * one for one in more), nothing)


@some_examples
@given(cases())
def test_a_refusal_changes_nothing(case: Case) -> None:
    model = case.fit()
    before, said = dict(vars(model)), case.results(model)
    for call in refusals(case, model):
        with pytest.raises(ValueError, match=r"\w"), without_warnings():
            call()
        assert is_unchanged(model, before)
    for name, value in {"n_top": 0, "search": "none", "n_jobs": 0}.items():
        with pytest.raises(ValueError, match=name):
            model.set_params(**{name: value}).fit(case.points[:, :1], case.y)
        assert is_unchanged(model.set_params(**{name: before[name]}), before)
    assert_same(case.results(model), said)


@each_kind
def test_a_warning_that_is_an_error_changes_nothing(kind: type[Any]) -> None:
    case = make_case(kind, 0, 30, 3, 0)
    model = case.fit()
    before = dict(vars(model))
    far = np.concatenate([case.points, case.points + 1e3])
    y = np.concatenate([case.y, np.full_like(case.y, -1 if case.y.dtype.kind == "i" else np.nan)])
    with pytest.raises(UnreachedWarning):
        model.fit(far, y)
    assert is_unchanged(model, before)


ESTIMATOR_FILES = ("classifier.py", "regressor.py", "multilabel.py", "input.py", "placing.py")


@contextmanager
def interrupted(after: int) -> Generator[None]:
    """Press Ctrl-C after so many lines of the estimators."""
    left = after

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal left
        path = Path(frame.f_code.co_filename)
        if path.parent != ESTIMATORS or path.name not in ESTIMATOR_FILES:
            return None
        left -= event == "line"
        if left < 0:
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


@settings(max_examples=40)
@given(case=cases(), after=st.integers(0, 120), is_update=st.booleans())
def test_an_interrupt_changes_all_or_nothing(case: Case, after: int, *, is_update: bool) -> None:
    model = case.fit()
    before, said = dict(vars(model)), case.results(model)
    then = replace(case, y=case.later)
    if not is_update:
        then = replace(then, points=case.points[:, :1], new=case.new[:, :1])
    with without_warnings(), suppress(KeyboardInterrupt), interrupted(after):
        case.update(model) if is_update else model.fit(then.points, then.y)
    if is_unchanged(model, before):
        assert_same(case.results(model), said)
    else:
        assert_close(then.results(model), then.results(then.fit()))
