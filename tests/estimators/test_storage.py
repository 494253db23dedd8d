from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diffresnet._support.notices import Notice
from diffresnet.estimators import (
    DiffResNetClassifier,
    DiffResNetMultiLabelClassifier,
    DiffResNetRegressor,
)
from diffresnet.estimators.storage import read_model, write_classifier, write_model
from diffresnet.files.arrays import read_described, write_described
from tests.estimators.examples import clusters, partly


def test_what_is_written_is_read(tmp_path: Path) -> None:
    points, classes = clusters()
    model = DiffResNetClassifier(n_top=7, random_state=np.random.RandomState(3))
    model.fit(points, partly(classes))
    given = {"labels": np.arange(3)}
    path = write_model(model, tmp_path / "model.npz", model.solution_.points, given, {"n_top": 9})
    read, fitted, copies, (labels,) = read_model(DiffResNetClassifier, path, ("labels",))
    assert read.get_params() == model.get_params() | {"random_state": model.seed_, "n_top": 9}
    assert read.n_features_in_ == 8
    assert labels.tolist() == [0, 1, 2]
    assert copies.n_copies == 0
    assert fitted.operator.n_points == 120
    assert not hasattr(read, "classes_")


def test_a_file_of_another_version_warns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points, classes = clusters()
    labels = np.where(np.arange(len(classes)) % 10 == 0, classes, -1)
    model = DiffResNetClassifier().fit(points, labels)
    path = model.save(tmp_path / "model.npz")
    monkeypatch.setattr("diffresnet.estimators.storage.LEARNING", 99)
    with pytest.warns(Notice, match=r"model\.npz was saved by another version of diffresnet"):
        again = DiffResNetClassifier.load(path)
    assert np.array_equal(again.transduction_, model.transduction_)


def test_a_file_is_read_where_no_device_is(tmp_path: Path) -> None:
    points, classes = clusters()
    model = DiffResNetClassifier(solver="network").fit(points, partly(classes))
    model.device = "cuda"  # as if it had been trained there
    assert DiffResNetClassifier.load(model.save(tmp_path / "model.npz")).device == "cpu"


def test_something_else(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", a=np.arange(3))
    with pytest.raises(ValueError, match=r"load: `path` must be a saved model"):
        read_model(DiffResNetClassifier, tmp_path / "x.npz", ())


@pytest.mark.parametrize("change", [{"parameters": None}, {"parameters": {"solver": "sgd"}}])
def test_parameters_of_another_time(tmp_path: Path, change: dict[str, object]) -> None:
    points, classes = clusters()
    path = DiffResNetClassifier().fit(points, partly(classes)).save(tmp_path / "model.npz")
    arrays, description = read_described(path, "f")
    write_described(path, arrays, description | change)
    with pytest.raises(ValueError, match="DiffResNetClassifier"):
        DiffResNetClassifier.load(path)


def small(kind: Any) -> Any:
    points, classes = clusters(2, 10)
    labels = np.where(np.arange(len(classes)) % 4 == 0, classes, -1)
    if kind is DiffResNetRegressor:
        return kind(n_top=4).fit(points, np.where(labels < 0, np.nan, points[:, 0]))
    if kind is DiffResNetMultiLabelClassifier:
        labels = np.stack([labels, np.where(labels < 0, -1, 1 - labels)], axis=1)
    return kind(n_top=4).fit(points, labels)


def changed(array: Any) -> Iterator[Any]:
    """Yield what a stranger may have written instead."""
    yield from (array[..., None], array.astype(np.str_), np.array(0), array.ravel()[:0])
    yield array[1:] if array.ndim else array[None]
    yield np.array("luck") if array.dtype.kind == "U" else array.astype(np.complex128)
    values = {"f": (np.nan, np.inf, -1, 10**7, 1e300), "i": (-1, 10**7, -(2**31), 2**31 - 1)}
    for value in values.get(array.dtype.kind, ()) if array.size else ():
        other = array.astype(np.float64) if array.dtype.kind == "f" else array.copy()
        other[(0,) * array.ndim] = value
        yield other


KINDS = [DiffResNetClassifier, DiffResNetRegressor, DiffResNetMultiLabelClassifier]


def saved(model: Any, path: Path) -> Path:
    if isinstance(model, DiffResNetClassifier):
        return write_classifier(model, path)
    return model.save(path)


@pytest.mark.parametrize("kind", KINDS)
def test_other_files_and_folders_are_not_written_over(tmp_path: Path, kind: Any) -> None:
    model, labels = small(kind), tmp_path / "labels.csv"
    labels.write_text("id,label\n")
    said = rf"^{kind.__name__}\.save: `path` must be a file that ends in \.npz, got .*labels\.csv\."
    with pytest.raises(ValueError, match=said):
        saved(model, labels)
    assert labels.read_text() == "id,label\n"
    (tmp_path / "models.npz").mkdir()
    with pytest.raises(ValueError, match=r"\.save: `path` must be a file, got .*, a folder\."):
        saved(model, tmp_path / "models.npz")
    for name in ("model", "model.NPZ", "model.npz", "model.npz"):
        assert kind.load(saved(model, tmp_path / name)).seed_ == model.seed_


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore")
def test_damage_is_one_kind_of_error_and_never_nan(tmp_path: Path, kind: Any) -> None:
    path = small(kind).save(tmp_path / "model.npz")
    arrays, description = read_described(path, "f")
    n_refused, new = 0, clusters(2, 2, seed=1)[0]
    for name, array in arrays.items():
        others = {key: value for key, value in arrays.items() if key != name}
        for content in (others, *({**others, name: other} for other in changed(array))):
            write_described(path, content, description)
            with suppress(ValueError):
                model = kind.load(path)
                found = vars(model).get("label_distributions_", model.transduction_)
                assert np.isfinite(found).all()
                predict = getattr(model, "predict_proba", model.predict)
                assert np.isfinite(predict(new)).all()
                continue
            n_refused += 1
            with pytest.raises(ValueError, match=rf"^{kind.__name__}\.load: `path` must be"):
                kind.load(path)
    assert n_refused > 80


@pytest.mark.parametrize(
    "change",
    [
        *({"n_features": value} for value in (None, -1, 10**12, "8", [8], 2.5)),
        *({"feature_names": value} for value in (8, ["a"], {"a": 1}, [1] * 8)),
        *({"parameters": value} for value in ({"n_top": -3}, {"n_top": "a"}, {"graph": []}, [1])),
        *({"estimator": value} for value in (None, 3, ["a"], "x" * 10**5)),
        {"parameters": {"random_state": 10**30}},
        {"parameters": {"step_size": 1e300}},
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_descriptions_of_strangers(tmp_path: Path, change: dict[str, Any]) -> None:
    path = small(DiffResNetClassifier).save(tmp_path / "model.npz")
    arrays, description = read_described(path, "f")
    write_described(path, arrays, description | change)
    with pytest.raises(ValueError, match=r"^DiffResNetClassifier\.load: `path` must be") as error:
        DiffResNetClassifier.load(path)
    assert len(str(error.value)) < 2000
    write_described(path, arrays, {})
    with pytest.raises(ValueError, match=r"^DiffResNetClassifier\.load: `path` must be"):
        DiffResNetClassifier.load(path)


def test_long_names_of_classes_are_kept(tmp_path: Path) -> None:
    points, classes = clusters(2, 10)
    names = np.array(["x" * 500, "y"], dtype=object)[classes]
    model = DiffResNetClassifier(n_top=4).fit(points, names.tolist())
    read = DiffResNetClassifier.load(model.save(tmp_path / "model.npz"))
    assert read.classes_.tolist() == model.classes_.tolist() == ["x" * 500, "y"]


@pytest.mark.parametrize(
    "names",
    [
        ["cats", "dogs"],
        ["a", "a name that is longer"],
        [b"x", b"y"],
        np.array(["2020-01-01", "2021-01-01"], "M8[D]"),
        np.array([1, 2], np.longdouble),
        [False, True],
    ],
)
def test_classes_of_any_kind_are_saved_and_loaded(tmp_path: Path, names: Any) -> None:
    points, classes = clusters(2, 5)
    model = DiffResNetClassifier(n_top=4).fit(points, np.array(names)[classes])
    loaded = DiffResNetClassifier.load(model.save(tmp_path / "model.npz"))
    assert np.array_equal(loaded.classes_, model.classes_)
