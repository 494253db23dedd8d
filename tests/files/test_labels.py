from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from diffresnet._support.notices import Notice
from diffresnet.files.labels import check_classes, read_labels

IDS = ["01", "1", "b"]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("id,label\nb,cat\n01,dog\n", {}),
        ("id,label,note\nb,cat,x\n01,dog,y\n1,,z\n", {}),
        ("id,Label,note\nb,cat,x\n01,dog,y\n", {}),
        ("id,kind\nb,cat\n01,dog\n", {}),
        ("key,label\nb,cat\n01,dog\n", {}),
        ("note,point_id,label\nx,b,cat\ny,01,dog\n", {}),
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


def test_labels_that_are_hardly_told_apart_are_named(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("id,label\n01,1\n1,1.0\nb,two\n")
    with pytest.warns(Notice, match=r"'1 / 1\.0' among the labels are different classes"):
        assert read_labels(path, IDS) == ["1", "1.0", "two"]
    path.write_text("id,label\n01,a cat\n1,A  cat\nb,two\n")
    with pytest.warns(Notice, match="'A  cat / a cat' among the labels"):
        read_labels(path, IDS)


def test_whole_numbers_are_written_alike(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("id,label\n01,1\n1,1.0\nb,2.50\n")
    assert read_labels(path, IDS) == ["1", "1", "2.50"]


def test_other_labels_are_told_apart_without_a_word(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("id,label\n01,1_0\n1,10\nb,12345678901234567890\n")
    more = "c,12345678901234567891\nd,inf\ne,1e99999999999999999999\n"
    path.write_text(path.read_text() + more)
    assert read_labels(path, [*IDS, "c", "d", "e"])[:2] == ["1_0", "10"]


def test_parquet_numbers(tmp_path: Path) -> None:
    pl.DataFrame({"id": ["b", "1"], "label": [2, -1]}).write_parquet(tmp_path / "l.parquet")
    assert read_labels(tmp_path / "l.parquet", IDS) == ["", "", "2"]


def test_arrays_row_by_row(tmp_path: Path) -> None:
    np.save(tmp_path / "l.npy", np.array([[0], [-1], [1]]))
    assert read_labels(tmp_path / "l.npy", IDS) == ["0", "", "1"]
    np.save(tmp_path / "l.npy", np.array([0, np.nan, 1]))
    assert read_labels(tmp_path / "l.npy", IDS) == ["0", "", "1"]
    np.savez(tmp_path / "l.npz", labels=np.array(["cat", "", "dog"]))
    assert read_labels(tmp_path / "l.npz", IDS) == ["cat", "", "dog"]


@pytest.mark.parametrize("word", ["NA", "nan", "None", "null", "-1", " -1.0 "])
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".npz"])
def test_words_for_nothing_are_no_label_in_every_file(
    tmp_path: Path, word: str, suffix: str
) -> None:
    path, table = tmp_path / f"l{suffix}", {"id": IDS, "label": ["cat", word, "dog"]}
    if suffix == ".csv":
        pl.DataFrame(table).write_csv(path)
    elif suffix == ".parquet":
        pl.DataFrame(table).write_parquet(path)
    else:
        np.savez(path, labels=np.array(table["label"]))
    message = rf"l{suffix}: '{word.strip()}' \(1 time\) among the labels means no label\. Rename"
    with pytest.warns(Notice, match=message):
        assert read_labels(path, IDS) == ["cat", "", "dog"]


def test_long_labels_are_refused_shortly(tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_text(f"id,label\n1,cat\nb,{'x' * 10**6}\n")
    message = (
        r"--labels must be a file with labels of up to 2,000 letters, got 'xxx.*' of 1,000,000"
    )
    with pytest.raises(ValueError, match=message) as error:
        read_labels(tmp_path / "l.csv", IDS)
    assert len(str(error.value)) < 300


@pytest.mark.parametrize(
    ("text", "columns", "message"),
    [
        ("id,label\nx,cat\n", {}, "got 1 that FEATURES does not have: 'x'. Remove their rows,"),
        ("id,label\nx,a\ny,a\nz,a\nw,a\n", {}, "got 4 that .*: 'x', 'y', 'z' and 1 other. Remove"),
        ("id,label\nb,cat\nb,dog\n", {}, "one label for an id, got different ones for 'b'. Keep"),
        ("id,kind,note\nb,cat,x\n", {}, "a column 'label', got .* with 'id', 'kind', 'note'."),
        ("who,label,note\nb,cat,x\n", {}, "a column 'id', got .* with 'who', 'label', 'note'."),
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
