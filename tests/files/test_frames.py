import io
import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from diffresnet._support.notices import Notice
from diffresnet.files.arrays import ALONE, read_arrays
from diffresnet.files.frames import TableFile, as_text, check_file


def test_reads_text_as_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,x\n007,1\n8,\n")
    assert TableFile(path, "F").columns == ["id", "x"]
    frame = TableFile(path, "F").read(["id"], ["x"])
    assert frame.to_dict(as_series=False) == {"id": ["007", "8"], "x": [1, None]}


def test_names_that_look_repeated_are_welcome(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,x,x_duplicated_0\na,1,2\n")
    assert TableFile(path, "F").columns == ["id", "x", "x_duplicated_0"]


def test_a_column_may_turn_out_to_be_text_late(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("x\n" + "1\n" * 2000 + "cat\n")
    assert TableFile(path, "F").read([], ["x"])["x"].dtype == pl.String


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.filterwarnings("ignore")
def test_the_first_line_that_is_too_long_is_named(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.csv"
    text = 'id;text\n\na;"one; é\n\ntwo"\n' + "b;c\n" * 100 + "c\nd;e;f\ng;h;i\n"
    path.write_bytes(text.encode(encoding))
    with pytest.raises(ValueError, match=r"with 3 fields in line 107, and 2 in line 1\."):
        TableFile(path, "F").read(["id", "text"])


@pytest.mark.parametrize("words", [("true", "false"), ("TRUE", "FALSE"), ("True", "False")])
def test_true_and_false_are_numbers(tmp_path: Path, words: tuple[str, str]) -> None:
    path = tmp_path / "a.csv"
    yes, no = words
    path.write_text(f"id,x,y,z\n{yes},{yes},1,\n{no},{no},2,{no}\nc,,NA,{yes}\n")
    with pytest.warns(
        Notice, match=r"^a\.csv has true and false in 'x', 'z', and is read as 1 and"
    ):
        frame = TableFile(path, "F").read(["id"], ["x", "y", "z"])
    assert frame["id"].to_list() == [yes, no, "c"]
    assert frame.select("x", "y", "z").rows() == [(1, 1, None), (0, 2, 0), (None, None, 1)]


def test_true_among_other_words_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x\ntrue\nmaybe\n")
    assert TableFile(tmp_path / "a.csv", "F").read([], ["x"])["x"].dtype == pl.String


def test_reads_parquet(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"id": [7], "x": [0.5]}).write_parquet(path)
    assert TableFile(path, "F").columns == ["id", "x"]
    assert TableFile(path, "F").read(["id"], ["x"]).rows() == [(7, 0.5)]


def test_reads_arrays(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.eye(2))
    np.savez(tmp_path / "a.npz", labels=np.arange(3))
    assert read_arrays(tmp_path / "a.npy", "F")[ALONE].shape == (2, 2)
    assert list(read_arrays(tmp_path / "a.npz", "F")) == ["labels"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", "x", "F must be a file that ends in .csv or .npy, got .*a.txt. Convert it to"),
        ("a", "x", "F must be a file that ends in"),
        ("none.csv", None, "F must be a file that exists, got .*none.csv. Check its name."),
        ("a.csv", "", "F must be a file with content, got .*a.csv, which is empty. Write"),
    ],
)
def test_files_that_are_none(tmp_path: Path, name: str, content: str | None, message: str) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(ValueError, match=message):
        check_file(tmp_path / name, "F", (".csv", ".npy"))


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "a.csv").write_text("x")
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ValueError, match=r"can be read, got .*\(Permission denied\)"):
        check_file(tmp_path / "a.csv", "F", (".csv", ".npy"))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "a.csv",
            "x,y\n1,2,3\n",
            r"F must be a table with as many fields in every line, got .*a.csv with 3 fields in "
            r"line 2, and 2 in line 1\. Mend this line; a text",
        ),
        ("a.csv", "x,y,x\n1,2,3\n", "F must be a table whose columns have different names, got"),
        ("a.csv", "x,5,5\n1,2,3\n", "F must be a table whose columns have different names, got"),
        ("a.csv", "x,y\n", "F must be a table with rows, got .*a.csv with none. Write it again."),
        ("a.csv", "\n", r"F must be a .csv table, got .*a.csv \(empty CSV\)"),
        ("a.parquet", "hello", r"F must be a .parquet table, got .*a.parquet \(.*\). Write"),
    ],
)
def test_tables_that_are_none(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(ValueError, match=message):
        TableFile(tmp_path / name, "F").read(["x"])


@pytest.mark.parametrize("name", ["a.npy", "a.npz"])
def test_arrays_that_are_none(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("hello")
    with pytest.raises(ValueError, match=r"F must be a \.npz or \.npy file of plain arrays"):
        read_arrays(path, "F")
    objects = np.array([{}], dtype=object)
    np.savez(path, x=objects) if name == "a.npz" else np.save(path, objects, allow_pickle=True)
    with pytest.raises(ValueError, match="it has objects of Python"):
        read_arrays(path, "F")


def test_columns_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    table = TableFile(tmp_path / "x.csv", "F")
    assert table.choose("a", (), "--id-column") == "a"
    assert table.choose(None, ("c", "b"), "--id-column") == "b"
    assert table.choose(None, ("c",), "--id-column") is None
    message = r"--id-column must be one of the columns of x.csv \('a', 'b'\), got 'c'. Choose"
    with pytest.raises(ValueError, match=message):
        table.choose("c", ("a",), "--id-column")


def test_text_of_values() -> None:
    assert [as_text(value) for value in (1.5, True, "")] == ["1.5", "True", ""]


def test_brackets_in_a_name_are_no_pattern(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("id,y\nwrong,2\n")
    (tmp_path / "[x].csv").write_text("id,x\nright,1\n")
    pl.DataFrame({"id": ["right"]}).write_parquet(tmp_path / "[x].parquet")
    pl.DataFrame({"no": ["wrong"]}).write_parquet(tmp_path / "x.parquet")
    for name in ("[x].csv", "[x].parquet"):
        assert TableFile(tmp_path / name, "F").columns[0] == "id"
        assert TableFile(tmp_path / name, "F").read(["id"])["id"].to_list() == ["right"]


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_name_that_is_no_unicode(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9" + suffix.encode())
    content = b"id;x\na;1\nb;2\n"
    if suffix == ".parquet":
        stream = io.BytesIO()
        pl.DataFrame({"id": ["a", "b"], "x": [1, 2]}).write_parquet(stream)
        content = stream.getvalue()
    path.write_bytes(content)
    table = TableFile(path, "F")
    if suffix == ".csv":
        with pytest.warns(Notice, match=r"caf\\udce9.csv has semicolons"):
            assert table.columns == ["id", "x"]
    assert table.read(["id"], ["x"])["x"].to_list() == [1, 2]


def test_a_panic_of_polars_is_one_sentence(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"id": ["a", "b"], "x": [1.0, 2.0]}).write_parquet(path)
    whole, n_panics = path.read_bytes(), 0
    for place in range(60, 100):  # around the first page; each takes a process
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            TableFile(path, "F").read(["id"], ["x"])
        except ValueError as error:
            n_panics += "range end index" in str(error) or "called `" in str(error)
    assert n_panics > 0
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", ["*", "^.*$"])
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_names_that_polars_takes_for_patterns(tmp_path: Path, name: str, suffix: str) -> None:
    path, table = tmp_path / f"a{suffix}", pl.DataFrame({"id": ["a", "b"], name: ["1.5", "x"]})
    _ = table.write_csv(path) if suffix == ".csv" else table.write_parquet(path)
    assert TableFile(path, "F").read([name]).columns == [name]
    assert TableFile(path, "F").read(["id"], [name]).rows() == [("a", "1.5"), ("b", "x")]


def test_commas_beside_decimal_points_are_not_decimal(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id;part;sales\nx0;0.637;750\nx1;0.270;3,512\n")
    with pytest.warns(Notice, match="semicolons"):
        frame = TableFile(path, "F").read(["id"], ["part", "sales"])
    assert frame["sales"].to_list() == ["750", "3,512"]  # refused where numbers are needed
    assert frame["part"].to_list() == [0.637, 0.270]
