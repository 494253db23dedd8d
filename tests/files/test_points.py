import time
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from diffresnet._support.notices import Notice
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
    path = write(tmp_path / "a.csv", "key,kind,x\n01,-2,1\n02,3,2\n")
    points = read_points(path, id_column="key", label_column="kind")
    assert points.ids == ["01", "02"]
    assert points.labels == ["-2", "3"]  # text is taken as it is written


@pytest.mark.parametrize(
    ("header", "labels"), [("id,x,Label", ["cat", ""]), ("id,x,LABEL", ["cat", ""])]
)
def test_label_columns_in_other_letters(tmp_path: Path, header: str, labels: list[str]) -> None:
    path = tmp_path / "p.csv"
    path.write_text(f"{header}\na,1,cat\nb,2,\n")
    points = read_points(path)
    assert points.labels == labels
    assert points.features is not None
    assert points.features.shape == (2, 1)


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


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "?", "i1", "u1", "i2", "i4", "i8", ">f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy(tmp_path: Path, dtype: str, order: Any) -> None:
    given = np.array([[1, 0, 2], [0, 1, 3], [5, 0, 1]], dtype=dtype, order=order)
    np.save(tmp_path / "a.npy", given)
    points = read_points(tmp_path / "a.npy")
    assert points.ids == ["0", "1", "2"]
    assert points.features is not None
    assert points.features.dtype.itemsize == (8 if dtype in ("f8", "i4", "i8", ">f8") else 4)
    assert points.features.dtype.kind == "f"
    assert points.features.tolist() == given.tolist()


def test_a_large_npy_stays_on_the_disk(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.ones((1_000_000, 8), dtype=np.float32))
    tracemalloc.start()
    try:
        features = read_points(tmp_path / "a.npy").features
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert features is not None
    assert kept < 90_000_000  # the ids; the features take 32 MB
    assert not features.flags.writeable


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
        ("id,x\na,1\nb,\nc,nan\n", "got missing or infinite ones in 2 rows: 'b', 'c'."),
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
        ({"ids": np.array("a")}, "a file with an array of features, got .*a.npz. Save it with"),
        ({"features": np.array(1.0)}, r"numbers of shape .*, got shape \(\) of float64"),
        ({"features": np.arange(2)}, r"of shape \(points, features\), got shape \(2,\) of int64"),
        ({"features": np.array([["a"]])}, r"numbers of shape .*, got shape \(1, 1\) of <U1"),
        ({"features": np.zeros((0, 2))}, r"numbers of shape .*, got shape \(0, 2\)"),
        ({"features": np.eye(2), "ids": [1]}, r"ids must be of shape \(2,\), .* got shape \(1,\)"),
        ({"features": np.eye(2), "labels": [1]}, r"labels must be of shape \(2,\), one a point"),
        (
            {"features": np.full((2, 2), np.inf)},
            "missing or infinite ones in 2 rows: '0'",
        ),
    ],
)
def test_bad_arrays(tmp_path: Path, arrays: dict[str, Any], message: str) -> None:
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(ValueError, match=message):
        read_points(tmp_path / "a.npz")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "id,x,y\na,1,2\nb,1,hello there\n",
            "got the column 'y' of a.csv with texts, such as 'hello there'. Leave it out, name it "
            "by --id-column or --label-column, or turn texts into features by `diffresnet embed`",
        ),
        ('id,x\na,"1,5"\nb,"2,5"\n', "the column 'x' of a.csv with decimal commas. Write points"),
        ("id,x\na,1\nb,NA\nc,null\n", "missing or infinite ones in 2 rows: 'b', 'c'."),
        ("id,x\n" + "a" * 3000 + ",1\nb,2\n", "ids of up to 2,000 letters, got 'aaa.*' of 3,000."),
    ],
)
def test_tables_that_people_have(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"FEATURES must be .*{message}"):
        read_points(write(tmp_path / "a.csv", text))


def features_of(path: Path) -> Any:
    points = read_points(path)
    assert points.features is not None
    return points.features.tolist()


def test_decimal_commas_beside_semicolons(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id;x;y\na;1,5;2\nb;-2,25;1e3\n")
    with pytest.warns(Notice) as caught:
        assert features_of(path) == [[1.5, 2], [-2.25, 1000]]
    assert [str(one.message) for one in caught] == [
        "a.csv has semicolons between its columns, and is read so.",
        "a.csv has decimal commas, and is read so.",
    ]


def test_numbers_of_any_size(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", f"id,x\na,{10**30}\nb, 2\n")
    assert features_of(path) == [[1e30], [2]]
    wide = pl.Series([10**30, 2], dtype=pl.Int128)
    pl.DataFrame({"id": ["a", "b"], "x": wide}).write_parquet(tmp_path / "a.parquet")
    assert features_of(tmp_path / "a.parquet") == [[1e30], [2]]


def test_a_column_of_lists_is_features(tmp_path: Path) -> None:
    path, table = tmp_path / "a.parquet", {"id": ["a", "b"], "v": [[1, 2], [3, 4]], "x": [5, 6]}
    pl.DataFrame(table).write_parquet(path)
    assert features_of(path) == [[5, 1, 2], [6, 3, 4]]
    kinds = {"v": pl.Array(pl.Float32, 2)}
    pl.DataFrame({"v": table["v"]}, schema=kinds).write_parquet(path)
    assert features_of(path) == [[1, 2], [3, 4]]
    for bad in ([[1, 2], [3]], [["a"], ["b"]], [[1], None], [[], []]):
        pl.DataFrame({"v": bad}, strict=False).write_parquet(path)
        with pytest.raises(ValueError, match="lists of as many numbers in every row, got the col"):
            read_points(path)


def test_a_file_that_promises_more_rows_than_fit(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    columns = {f"x{place}": pl.repeat(1.0, 10**6, eager=True) for place in range(40)}
    pl.DataFrame(columns).write_parquet(path)
    assert path.stat().st_size < 10**6
    with pytest.raises(ValueError, match=r"it would unpack to 320,000,000 bytes, more than"):
        read_points(path)


def test_many_columns_are_read_at_once(tmp_path: Path) -> None:
    n = 10_000
    head, row = ",".join(f"x{place}" for place in range(n)), ",".join(["0.5"] * n)
    path = write(tmp_path / "a.csv", f"{head}\n" + f"{row}\n" * 20)
    begin = time.process_time()
    assert np.shape(features_of(path)) == (20, n)
    assert time.process_time() - begin < 3  # it was ten seconds, and grew with the square


def test_a_table_with_a_number_for_each_row(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "ID,x\n" + "".join(f"{row},{row % 2}\n" for row in range(20)))
    with pytest.warns(Notice, match="The ids are those of the column 'ID'"):
        points = read_points(path)
    assert points.ids[:2] == ["0", "1"]
    assert points.features is not None
    assert points.features.shape == (20, 1)


def test_texts_of_another_number_take_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, features=np.ones((3, 2)), texts=np.arange(1_000_000.0))
    tracemalloc.start()
    try:
        assert read_points(path).previews == ()
        assert tracemalloc.get_traced_memory()[1] < 30_000_000
    finally:
        tracemalloc.stop()


def write_parts(folder: Path, *tables: Any) -> Path:
    folder.mkdir()
    for place, table in enumerate(tables):
        pl.DataFrame(table).write_parquet(folder / f"part-{place}.parquet")
    return folder


def test_a_folder_of_parquet_files(tmp_path: Path) -> None:
    first = {"id": ["b", "a"], "v": [[1.0, 2], [3, 4]], "label": ["cat", None], "x": [5, 6]}
    second = {"id": ["c"], "x": [7.5], "v": [[5, 6]], "label": [None]}
    none = {name: pl.Series(name, values)[:0] for name, values in first.items()}
    folder = write_parts(tmp_path / "points.parquet", first, none, second)
    (folder / "_SUCCESS").touch()
    (folder / ".part-0.parquet.crc").touch()
    (folder / "._part-0.parquet").write_bytes(b"of another system")
    points = read_points(folder)
    assert points.ids == ["b", "a", "c"]
    assert points.labels == ["cat", "", ""]
    assert points.features is not None
    assert points.features.tolist() == [[5, 1, 2], [6, 3, 4], [7.5, 5, 6]]


def test_a_folder_without_ids(tmp_path: Path) -> None:
    folder = write_parts(tmp_path / "points", *({"v": [[1.0, row]]} for row in range(12)))
    (folder / "part-10.parquet").rename(folder / "part-A.parquet")
    points = read_points(folder)
    assert points.ids == [str(row) for row in range(12)]
    assert points.features is not None
    assert points.features[:, 1].tolist() == [0, 1, 11, *range(2, 10), 10]  # in order of name


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (
            {"id": ["c"], "x": [1.0]},
            "a folder of tables with the same columns, got 'y' in part-0.parquet, but not in "
            "part-1.parquet. Write them again, or move one of them to another folder.",
        ),
        (
            {"id": ["c"], "x": [1.0], "y": [1.0], "z": [1.0]},
            "the same columns, got 'z' in part-1.parquet, but not in part-0.parquet.",
        ),
        (
            {"id": ["c"], "x": [1.0], "y": ["one"]},
            "the same columns, got 'y' with Float64 in part-0.parquet and String in part-1.parquet",
        ),
        (
            {"id": ["c", "a", "b"], "x": [1.0] * 3, "y": [1.0] * 3},
            "an id each of its own, got 2 more than once: 'a', 'b' ('a' in part-0.parquet and in "
            "part-1.parquet). Keep one row of each.",
        ),
        (
            {"id": ["c", "c"], "x": [1.0] * 2, "y": [1.0] * 2},
            "an id each of its own, got 1 more than once: 'c'. Keep one row of each.",
        ),
        (
            {"id": ["c", None], "x": [1.0] * 2, "y": [1.0] * 2},
            "points with an id each, got none in row 1 of part-1.parquet. Fill the column of ids.",
        ),
        (
            {"id": ["c"], "x": [1.0], "y": [None]},
            "numbers in every column, got the column 'y' of part-1.parquet with no value at all.",
        ),
        (
            {"id": ["c"], "x": [1.0], "y": [float("inf")]},
            "finite numbers, got missing or infinite ones in 1 row: 'c'.",
        ),
    ],
)
def test_bad_folders(tmp_path: Path, second: Any, message: str) -> None:
    first = {"id": ["a", "b"], "x": [1.0, 2.0], "y": [3.0, 4.0]}
    with pytest.raises(ValueError, match="FEATURES must be") as error:
        read_points(write_parts(tmp_path / "points", first, second))
    assert message in str(error.value)


def test_a_damaged_file_in_a_folder(tmp_path: Path) -> None:
    table = {"id": ["a", "b"], "x": [1.0, 2.0]}
    folder = write_parts(tmp_path / "points", table, table)
    whole = (folder / "part-1.parquet").read_bytes()
    (folder / "part-1.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"FEATURES must be a \.parquet table, got .*part-1\.parq"):
        read_points(folder)


def test_long_doubles_beyond_double_precision_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    np.save(path, np.full((4, 2), np.finfo(np.longdouble).max))
    with pytest.raises(ValueError, match="must be"):
        read_points(path)
