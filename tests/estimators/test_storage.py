from pathlib import Path

import numpy as np
import pytest

from diffresnet.estimators import DiffResNetClassifier
from diffresnet.estimators.storage import read_model, write_model
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
