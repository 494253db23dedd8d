import gzip
import warnings
from pathlib import Path

import pytest

from diffresnet._support.notices import Notice
from diffresnet.files.dialect import Dialect, recognize_dialect
from diffresnet.files.frames import TableFile


@pytest.mark.parametrize(
    "content",
    [
        b"id,x\na,1\n",
        b"\xef\xbb\xbfid,x\na,1\n",  # a byte-order mark
        b"id,x\r\na,1\r\n",
        b"text\nhello; there\n",
        b'id,text\na,"one; two, three"\n',
        b"x\n1\n2\n",
        b"\n",
    ],
)
def test_usual_files_are_read_without_a_word(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert recognize_dialect(tmp_path / "a.csv", "F") == Dialect()


def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbfid,x\na,1\n")
    assert TableFile(tmp_path / "a.csv", "F").columns == ["id", "x"]


@pytest.mark.parametrize(
    ("content", "remark"),
    [
        (b"id;text\na;one, two\nb;three\n", "semicolons between its columns, and is read so"),
        (b"id\ttext\na\tone, two\nb\tthree\n", "tabs between its columns"),
        (b"id|text\na|one, two\nb|three\n", "bars between its columns"),
        ('id,text\na,"one, two"\nb,three\nc,é\n'.encode("cp1252"), "text in Latin-1"),
        (
            "id;text\na;one, two\nb;three\nc;é\n".encode("utf-16"),
            "semicolons .* in UTF-16",
        ),
        (b'id,text\na,"one, two"\nb,three\n' + b"c,x\n" * 30000 + b"d,\xe9\n", "Latin-1"),
    ],
)
def test_others_are_recognized_and_said(tmp_path: Path, content: bytes, remark: str) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    table = TableFile(tmp_path / "a.csv", "F")
    with pytest.warns(Notice, match=rf"^a\.csv .*{remark}") as caught:
        frame = table.read(["id", "text"])
    assert len(caught) == 1
    assert frame["text"].to_list()[:2] == ["one, two", "three"]
    assert frame["text"].to_list()[-1] in ("three", "é")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (gzip.compress(b"id,x\na,1\n", mtime=0), "it is a gzip file: unpack it"),
        (b"\x28\xb5\x2f\xfd", "it is a zstd file: unpack it"),
        (b"PK\x03\x04", "it is a zip archive, or a workbook of Excel: save it as CSV"),
        (b"PAR1", "it is a Parquet file: let its name end in .parquet"),
        (b"id,x\na,\x00\n", "it has bytes that are no text"),
        (
            b"id,x\ra,1\rb,2\r",
            "its lines end with a carriage return alone; save it with usual ones",
        ),
        (
            b"id;text\na;one; two\n",
            "semicolons between its columns, but not as many in every row: 3 fields in line 2, "
            "and 2 in line 1",
        ),
    ],
)
def test_other_kinds_are_refused_by_name(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(
        ValueError, match=rf"F must be a \.csv table, got .*a\.csv \({reason}\)\. W"
    ):
        recognize_dialect(tmp_path / "a.csv", "F")


def test_cells_of_several_lines(tmp_path: Path) -> None:
    rows = "".join(f'x{row};"one\ntwo\nthree\nfour";A\n' for row in range(40))
    (tmp_path / "a.csv").write_text("id;text;label\n" + rows)
    with pytest.warns(Notice, match="semicolons"):
        assert recognize_dialect(tmp_path / "a.csv", "F").separator == ";"
    (tmp_path / "b.csv").write_text("id;text;label\n" + 400 * rows)
    with pytest.warns(Notice, match="semicolons"):
        assert recognize_dialect(tmp_path / "b.csv", "F").separator == ";"
