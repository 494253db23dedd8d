from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from diffresnet.files.labels import check_classes, read_labels

IDS = ["01", "1", "b"]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("id,label\nb,cat\n01,dog\n", {}),
        ("id,label,note\nb,cat,x\n01,dog,y\n1,,z\n", {}),
        ("id,kind\nb,cat\n01,dog\n", {}),
        ("key,label\nb,cat\n01,dog\n", {}),
        (",kind\nb,cat\n01,dog\n", {}),
        ("kind,key\ncat,b\ndog,01\n", {"label_column": "kind"}),
        ("key,label,kind\nb,x,cat\n01,y,dog\n", {"id_column": "key", "label_column": "kind"}),
        ("id,label\nb,cat\n01,dog\nb,cat\nb,\n", {}),
    ],
)
def test_labels_find_their_points(tmp_path: Path, text: str, columns: dict[str, str]) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(text)
    assert read_labels(path, IDS, **columns) == ["dog", "", "cat"]


def test_parquet_numbers(tmp_path: Path) -> None:
    pl.DataFrame({"id": ["b", "1"], "label": [2, -1]}).write_parquet(tmp_path / "l.parquet")
    assert read_labels(tmp_path / "l.parquet", IDS) == ["", "", "2"]


def test_arrays_row_by_row(tmp_path: Path) -> None:
    np.save(tmp_path / "l.npy", np.array([[0], [-1], [1]]))
    assert read_labels(tmp_path / "l.npy", IDS) == ["0", "", "1"]
    np.save(tmp_path / "l.npy", np.array([0, np.nan, 1]))
    assert read_labels(tmp_path / "l.npy", IDS) == ["0", "", "1"]
    np.savez(tmp_path / "l.npz", labels=np.array(["cat", "", "-1"]))
    assert read_labels(tmp_path / "l.npz", IDS) == ["cat", "", "-1"]


@pytest.mark.parametrize(
    ("text", "columns", "message"),
    [
        ("id,label\nx,cat\n", {}, "got 1 that FEATURES does not have: 'x'. Remove their rows,"),
        ("id,label\nx,a\ny,a\nz,a\nw,a\n", {}, "got 4 that .*: 'x', 'y', 'z' and 1 other. Remove"),
        ("id,label\nb,cat\nb,dog\n", {}, "one label for an id, got different ones for 'b'. Keep"),
        ("id,kind,note\nb,cat,x\n", {}, "a column 'label', got .* with 'id', 'kind', 'note'."),
        ("key,label,note\nb,cat,x\n", {}, "a column 'id', got .* with 'key', 'label', 'note'."),
        ("id,label\nb,cat\n", {"label_column": "kind"}, r"\('id', 'label'\), got 'kind'. Choose"),
    ],
)
def test_bad_tables(tmp_path: Path, text: str, columns: dict[str, str], message: str) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_labels(path, IDS, **columns)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"labels": [0, 1]}, r"of shape \(3,\), one a point of FEATURES, got shape \(2,\). Give"),
        ({"y": [0, 1, 2]}, "a file with an array `labels`, got .* with 'y'. Save it with"),
    ],
)
def test_bad_arrays(tmp_path: Path, arrays: dict[str, Any], message: str) -> None:
    np.savez(tmp_path / "l.npz", **arrays)
    with pytest.raises(ValueError, match=message):
        read_labels(tmp_path / "l.npz", IDS)


def test_two_classes_are_needed() -> None:
    check_classes(["a", "", "b"])
    with pytest.raises(ValueError, match=r"classes or more, got no label at all. Label a"):
        check_classes(["", ""])
    with pytest.raises(ValueError, match=r"got one class only, 'a'. Label a"):
        check_classes(["a", "a"])
