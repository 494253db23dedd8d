from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from diffresnet.files import parquet
from diffresnet.files.features import read_rows
from diffresnet.files.frames import TableFile


def rows_of(path: Path, *frames: pl.DataFrame) -> Any:
    path.mkdir()
    for place, frame in enumerate(frames):
        frame.write_parquet(path / f"{place}.parquet")
    return read_rows(TableFile(path, "F"), None, None)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (pl.Float16, "f4"),
        (pl.Float32, "f4"),
        (pl.Int8, "f4"),
        (pl.UInt16, "f4"),
        (pl.Float64, "f8"),
        (pl.Int32, "f8"),
        (pl.List(pl.Float32), "f4"),
        (pl.List(pl.Float64), "f4"),
        (pl.List(pl.Int64), "f8"),
        (pl.Array(pl.Float64, 1), "f4"),
    ],
)
def test_precision(tmp_path: Path, kind: Any, expected: str) -> None:
    values = [[1], [2]] if isinstance(kind, pl.List | pl.Array) else [1, 2]
    rows = rows_of(tmp_path / "a", pl.DataFrame({"x": values}, schema={"x": kind}))
    assert rows.features.dtype == expected
    assert rows.features.tolist() == [[1], [2]]


def test_one_file_of_double_precision_is_enough(tmp_path: Path) -> None:
    single = pl.DataFrame({"x": [1.0]}, schema={"x": pl.Float32})
    rows = rows_of(tmp_path / "a", single, single.cast(pl.Float64) / 3)
    assert rows.features.tolist() == [[1], [1 / 3]]


def test_columns_of_several_kinds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "BLOCK", 1)
    random = np.random.default_rng(0)
    numbers, lists = random.normal(size=(50, 2)), random.normal(size=(50, 3)).astype("f4")
    frame = pl.DataFrame(
        {"a": numbers[:, 0], "v": lists.tolist(), "b": numbers[:, 1], "w": lists[:, :1].tolist()}
    )
    rows = rows_of(tmp_path / "a", frame[:20], frame[20:21], frame[21:])
    assert rows.ids == [str(row) for row in range(50)]
    assert rows.numbers == ["a", "b"]
    np.testing.assert_array_equal(rows.features, np.hstack([numbers, lists, lists[:, :1]]))


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (
            [[1.0]],
            "lists of as many numbers in every row, got 1 numbers in 1.parquet, and 2 ",
        ),
        ([[1.0, 2], [1]], "got the column 'v' of 1.parquet with List.*, of 2 lengths. Write as"),
        ([None], "got the column 'v' of 1.parquet with List.*, of 1 length. Write as many numbers"),
    ],
)
def test_lists_of_different_lengths(tmp_path: Path, second: Any, message: str) -> None:
    frames = [pl.DataFrame({"v": v}, schema={"v": pl.List(pl.Float32)}) for v in ([[1, 2]], second)]
    with pytest.raises(ValueError, match=f"F must be .*{message}"):
        rows_of(tmp_path / "a", *frames)


def test_lists_that_would_unpack_to_too_much(tmp_path: Path) -> None:
    frame = pl.DataFrame({"v": [[0.5] * 1000]}, schema={"v": pl.Array(pl.Float32, 1000)})
    frame = pl.concat([frame] * 1000)
    with pytest.raises(ValueError, match=r"1.parquet \(it would unpack to 400,000,000 bytes"):
        rows_of(tmp_path / "a", frame[:1], pl.concat([frame] * 100))
