import csv
import io
import time
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from diffresnet.files.predictions import PARTS, encode_parts, encode_predictions, read_earlier

IDS = ["00", "01", "02"]
LABELS = np.array(["left", "left", "right, far"])
PROBABILITIES = np.array([[1.0, 0.0, 0.0], [0.5, 0.3, 0.2], [0.25, 0.0, 0.75]])
REACHED = np.array([True, True, False])


def test_csv() -> None:
    text = encode_predictions(IDS, LABELS, PROBABILITIES, REACHED).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(rows[0]) == ["id", "label", "probability", "margin", "reached"]
    assert [row["id"] for row in rows] == IDS
    assert [row["label"] for row in rows] == LABELS.tolist()
    assert [row["probability"] for row in rows] == ["1.000000", "0.500000", "0.750000"]
    assert [float(row["margin"]) for row in rows] == pytest.approx([1, 0.2, 0.5])
    assert [row["reached"] for row in rows] == ["true", "true", "false"]


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_labels_of_an_earlier_run(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"earlier{suffix}"
    ids = ["=1+1", *IDS[1:]]  # guarded in CSV
    path.write_bytes(encode_predictions(ids, LABELS, PROBABILITIES, REACHED, suffix))
    assert read_earlier(path) == dict(zip(ids, LABELS.tolist(), strict=True))


def test_other_tables_are_no_earlier_run(tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    path.write_text("name,kind\na,b\n")
    with pytest.raises(ValueError, match="--since must be a table with the columns id and label"):
        read_earlier(path)


def test_parquet_holds_the_same() -> None:
    written = encode_predictions(IDS, LABELS, PROBABILITIES, REACHED, ".parquet")
    frame = pl.read_parquet(io.BytesIO(written))
    assert frame.dtypes == [pl.String, pl.String, pl.Float64, pl.Float64, pl.Boolean]
    assert frame["label"].to_list() == LABELS.tolist()
    np.testing.assert_allclose(frame["margin"], [1, 0.2, 0.5])


@pytest.mark.parametrize("labels", [np.array([0, 1, -2]), np.array(["a", "b", "c"], dtype=object)])
def test_labels_of_every_kind(labels: Any) -> None:
    written = encode_predictions(IDS, labels, PROBABILITIES, REACHED, ".parquet")
    assert pl.read_parquet(io.BytesIO(written))["label"].to_list() == list(map(str, labels))


def test_parts_hold_the_same_as_one_file() -> None:
    parts = list(encode_parts(IDS, LABELS, PROBABILITIES, REACHED, n_rows=2))
    assert [name for name, _ in parts] == ["part-00000.parquet", "part-00001.parquet"]
    assert all(fnmatch(name, PARTS) for name, _ in parts)
    found = pl.concat(pl.read_parquet(io.BytesIO(content)) for _, content in parts)
    whole = encode_predictions(IDS, LABELS, PROBABILITIES, REACHED, ".parquet")
    assert found.equals(pl.read_parquet(io.BytesIO(whole)))


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_million_rows_take_seconds(suffix: str) -> None:
    n = 1_000_000
    ids, labels = list(map(str, range(n))), np.array(["cat", "dog"])[np.arange(n) % 2]
    probabilities = np.full((n, 2), 0.5)
    begin = time.process_time()
    content = encode_predictions(ids, labels, probabilities, np.ones(n, bool), suffix)
    assert time.process_time() - begin < 10
    assert len(content) > n / 10


def test_texts_and_a_single_class() -> None:
    ones = np.ones((2, 1), dtype=np.float32)
    reached = np.array([True, True])
    labels = np.array(["a", "a"])
    table = encode_predictions(["x", "y"], labels, ones, reached, texts=["=1+1", "two"]).decode()
    assert table.splitlines() == [
        "id,label,probability,margin,reached,text",
        "x,a,1.000000,1.000000,true,'=1+1",
        "y,a,1.000000,1.000000,true,two",
    ]
