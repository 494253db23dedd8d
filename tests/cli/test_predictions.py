import csv
import io
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import typer

from diffresnet.cli.predictions import SUFFIXES, check_new_file, encode_predictions
from diffresnet.estimators import DiffResNetClassifier


@pytest.fixture(scope="module")
def model() -> DiffResNetClassifier:
    points = np.concatenate([np.arange(10.0), np.arange(30.0, 40.0)])[:, None]
    labels = np.array(["left", *[""] * 18, "right, far"])
    return DiffResNetClassifier(n_top=3).fit(points, labels)


def test_csv(model: DiffResNetClassifier) -> None:
    ids = [f"0{row}" for row in range(20)]
    text = encode_predictions(model, ids).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(rows[0]) == ["id", "label", "probability", "margin", "reached"]
    assert [row["id"] for row in rows] == ids
    assert [row["label"] for row in rows] == ["left"] * 10 + ["right, far"] * 10
    assert rows[0]["probability"] == rows[0]["margin"] == "1.000000"
    assert {row["reached"] for row in rows} == {"true"}
    for row, chances in zip(rows, model.label_distributions_, strict=True):
        assert float(row["margin"]) == pytest.approx(abs(chances[0] - chances[1]), abs=1e-6)


def test_parquet_holds_the_same(model: DiffResNetClassifier) -> None:
    ids = [str(row) for row in range(20)]
    frame = pl.read_parquet(io.BytesIO(encode_predictions(model, ids, ".parquet")))
    assert frame.dtypes == [pl.String, pl.String, pl.Float64, pl.Float64, pl.Boolean]
    text = pl.read_csv(encode_predictions(model, ids))
    assert frame["label"].to_list() == text["label"].to_list()
    np.testing.assert_allclose(frame["margin"], text["margin"], atol=1e-6)


def test_a_new_file(tmp_path: Path) -> None:
    check_new_file(tmp_path / "new" / "out.csv", "--out", SUFFIXES, [], force=False)
    assert (tmp_path / "new").is_dir()
    (tmp_path / "out.csv").touch()
    check_new_file(tmp_path / "out.csv", "--out", SUFFIXES, [], force=True)
    message = r"--out must be a new file, got .*out.csv, which exists. Choose another --out, or"
    with pytest.raises(typer.BadParameter, match=message):
        check_new_file(tmp_path / "out.csv", "--out", SUFFIXES, [], force=False)


def test_files_that_are_refused(tmp_path: Path) -> None:
    with pytest.raises(typer.BadParameter, match=r"ends in .csv or .parquet, got .*out.txt"):
        check_new_file(tmp_path / "out.txt", "--out", SUFFIXES, [], force=False)
    used = tmp_path / "in.csv"
    used.touch()
    with pytest.raises(typer.BadParameter, match="another file than those that are used"):
        check_new_file(used, "--out", SUFFIXES, [used], force=True)
