import csv
import io

import numpy as np
import polars as pl
import pytest

from diffresnet.files.predictions import encode_predictions

IDS = ["00", "01", "02"]
LABELS = ["left", "left", "right, far"]
PROBABILITIES = np.array([[1.0, 0.0, 0.0], [0.5, 0.3, 0.2], [0.25, 0.0, 0.75]])
REACHED = np.array([True, True, False])


def test_csv() -> None:
    text = encode_predictions(IDS, LABELS, PROBABILITIES, REACHED).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(rows[0]) == ["id", "label", "probability", "margin", "reached"]
    assert [row["id"] for row in rows] == IDS
    assert [row["label"] for row in rows] == LABELS
    assert [row["probability"] for row in rows] == ["1.000000", "0.500000", "0.750000"]
    assert [float(row["margin"]) for row in rows] == pytest.approx([1, 0.2, 0.5])
    assert [row["reached"] for row in rows] == ["true", "true", "false"]


def test_parquet_holds_the_same() -> None:
    written = encode_predictions(IDS, LABELS, PROBABILITIES, REACHED, ".parquet")
    frame = pl.read_parquet(io.BytesIO(written))
    assert frame.dtypes == [pl.String, pl.String, pl.Float64, pl.Float64, pl.Boolean]
    assert frame["label"].to_list() == LABELS
    np.testing.assert_allclose(frame["margin"], [1, 0.2, 0.5])
