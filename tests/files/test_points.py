from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from diffresnet.files.points import read_points


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_csv_with_ids_and_labels(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "x,label,id,y\n1,cat,007,0.5\n2,,7,1.5\n")
    points = read_points(path)
    assert points.ids == ["007", "7"]
    assert points.labels == ["cat", ""]
    assert points.features is not None
    assert points.features.tolist() == [[1, 0.5], [2, 1.5]]
    assert points.features.dtype == np.float64


def test_named_columns(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "key,kind,x\n01,-1,1\n02,3,2\n")
    points = read_points(path, id_column="key", label_column="kind")
    assert points.ids == ["01", "02"]
    assert points.labels == ["-1", "3"]  # text is taken as it is written


def test_row_numbers_are_the_ids_where_there_are_none(tmp_path: Path) -> None:
    points = read_points(write(tmp_path / "a.csv", "0,1\n5,6\n7,8\n"))
    assert points.ids == ["0", "1"]
    assert points.labels is None


def test_the_index_of_pandas_is_no_feature(tmp_path: Path) -> None:
    points = read_points(write(tmp_path / "a.csv", ",x\na,1\nb,2\n"))
    assert points.ids == ["a", "b"]
    assert points.features is not None
    assert points.features.shape == (2, 1)


def test_ids_alone(tmp_path: Path) -> None:
    assert read_points(write(tmp_path / "a.csv", "id\na\nb\n")).features is None
    np.savez(tmp_path / "a.npz", ids=np.array(["a", "b"]))
    assert read_points(tmp_path / "a.npz").ids == ["a", "b"]


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"id": [3, 4], "x": [1, 2], "label": [-1.0, 2.0]}).write_parquet(path)
    points = read_points(path)
    assert points.ids == ["3", "4"]
    assert points.labels == ["", "2"]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64])
def test_npy(tmp_path: Path, dtype: Any) -> None:
    np.save(tmp_path / "a.npy", np.eye(3, dtype=dtype))
    points = read_points(tmp_path / "a.npy")
    assert points.ids == ["0", "1", "2"]
    assert points.features is not None
    assert points.features.dtype == (np.float32 if dtype == np.float32 else np.float64)


def test_npz(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", ids=[5, 6], labels=[-1, 0], vectors=np.eye(2), n=np.arange(9))
    points = read_points(tmp_path / "a.npz")
    assert points.ids == ["5", "6"]
    assert points.labels == ["", "0"]
    np.savez(tmp_path / "a.npz", features=np.eye(2), others=np.zeros((2, 2)))
    points = read_points(tmp_path / "a.npz")
    assert points.features is not None
    assert points.features.tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,x,y\na,1,2\nb,1,z\n", "must be numbers in every column, got the column 'y' of a.csv"),
        ("id,x\na,1\na,2\nb,3\n", "an id each of its own, got 1 more than once: 'a'. Keep one"),
        ("id,x\na,1\n,2\n", "must be points with an id each, got none in row 1. Fill the column"),
        ("id,x\na,1\nb,\nc,nan\n", "got missing or infinite ones in 2 rows, of the ids 'b', 'c'."),
        ("0.5,1.5\n1,2\n", "must be a table with names in its first row, got .* '0.5', '1.5'."),
        ("0.5,0.5\n1,2\n", "must be a table with names in its first row, got .* '0.5', '0.5'."),
    ],
)
def test_bad_tables(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"FEATURES .*{message}"):
        read_points(write(tmp_path / "a.csv", text))


def test_an_id_column_that_is_not_there(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,x\na,1\n")
    with pytest.raises(ValueError, match=r"columns of a.csv \('id', 'x'\), got 'key'"):
        read_points(path, id_column="key")


def test_a_label_column_that_is_not_there(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,x\na,1\n")
    assert read_points(path, label_column="kind").labels is None
    with pytest.raises(ValueError, match=r"--label-column must be .*'x'\), got 'kind'"):
        read_points(path, label_column="kind", need_labels=True)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"a": np.eye(2), "b": np.eye(2)}, "with the arrays 'a', 'b'. Name one of them `features`"),
        ({"a": np.arange(2)}, "a file with an array of features, got .*a.npz. Save it with"),
        ({"features": np.arange(2)}, r"of shape \(points, features\), got shape \(2,\) of int64"),
        ({"features": np.array([["a"]])}, r"numbers of shape .*, got shape \(1, 1\) of <U1"),
        ({"features": np.zeros((0, 2))}, r"numbers of shape .*, got shape \(0, 2\)"),
        ({"features": np.eye(2), "ids": [1]}, r"ids must be of shape \(2,\), .* got shape \(1,\)"),
        ({"features": np.eye(2), "labels": [1]}, r"labels must be of shape \(2,\), one a point"),
        (
            {"features": np.full((2, 2), np.inf)},
            "missing or infinite ones in 2 rows, of the ids '0'",
        ),
    ],
)
def test_bad_arrays(tmp_path: Path, arrays: dict[str, Any], message: str) -> None:
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(ValueError, match=message):
        read_points(tmp_path / "a.npz")
