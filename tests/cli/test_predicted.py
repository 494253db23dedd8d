from pathlib import Path

import numpy as np
import pytest

from diffresnet.cli.predicted import Predicted, choose_out
from diffresnet.estimators import DiffResNetClassifier
from diffresnet.files.points import Points


def test_where_predictions_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert choose_out(None, Path("a.csv"), [], force=False) == Path("predictions.csv")
    assert choose_out(None, tmp_path, [], force=False) == Path("predictions")
    with pytest.raises(ValueError, match=r"--out must be a file that ends in \.csv or \.parquet"):
        choose_out(Path("a.txt"), Path("a.csv"), [], force=False)


def test_a_file_or_parts() -> None:
    model = DiffResNetClassifier()
    model.classes_ = np.array(["x", "y"])
    rows = np.array([[0.75, 0.25]]), np.array([True])
    found = Predicted(Path("in.csv"), Points(["a"], None, None), model, *rows, None)
    table = found.encode(Path("a.csv"))
    assert table == b"id,label,probability,margin,reached\na,x,0.750000,0.500000,true\n"
    parts = found.encode(Path("folder"))
    assert not isinstance(parts, bytes)
    assert [name for name, _ in parts] == ["part-00000.parquet"]
