from pathlib import Path

import polars as pl
import pytest

from diffresnet.files import parquet
from diffresnet.files.parquet import ParquetFile, parquet_files, read_blocks

DAMAGED = Path(__file__).parent.parent / "data" / "one_bit.parquet"


def write(path: Path, n_rows: int, first: int = 0) -> Path:
    pl.DataFrame({"id": range(first, first + n_rows), "x": 0.5}).write_parquet(path)
    return path


def test_a_file_says_what_it_has(tmp_path: Path) -> None:
    file = ParquetFile(write(tmp_path / "a.parquet", 5), "F")
    assert file.n_rows == 5
    assert file.size == file.path.stat().st_size
    assert file.kinds == {"id": pl.Int64, "x": pl.Float64}


@pytest.mark.parametrize(("block", "n_rows"), [(2**27, [10]), (200, [3, 3, 3, 1]), (1, [2] * 5)])
def test_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int, n_rows: list[int]
) -> None:
    monkeypatch.setattr(parquet, "MOST_BLOCKS", 5)
    file = ParquetFile(write(tmp_path / "a.parquet", 10), "F")
    monkeypatch.setattr(parquet, "BLOCK", file.size // 4 + 1 if block == 200 else block)
    found = [frame for _, frame in read_blocks([file], ["id"])]
    assert [len(frame) for frame in found] == n_rows
    assert pl.concat(found)["id"].to_list() == list(range(10))


def test_a_folder_is_one_table(tmp_path: Path) -> None:
    for place in (1, 0, 2):
        write(tmp_path / f"{place}.parquet", 3, 3 * place)
    files = parquet_files(tmp_path, "F")
    found = [(file.path.name[0], *frame["id"]) for file, frame in read_blocks(files, ["id"])]
    assert found == [("0", 0, 1, 2), ("1", 3, 4, 5), ("2", 6, 7, 8)]


def test_a_file_that_would_end_the_process_is_named(tmp_path: Path) -> None:
    content = DAMAGED.read_bytes()
    (tmp_path / "a.parquet").write_bytes(content)
    (tmp_path / "b.parquet").write_bytes(content)
    files = parquet_files(tmp_path, "F")
    with pytest.raises(ValueError, match=r"F must be a .parquet table, got .*a.parq.* \(it is dam"):
        list(read_blocks(files, list(files[0].kinds)))


def test_rows_that_are_promised(tmp_path: Path) -> None:
    file = ParquetFile(write(tmp_path / "a.parquet", 10), "F")
    vars(file)["n_rows"] = 12
    with pytest.raises(ValueError, match=r"a.parquet \(12 rows are promised, and 10 are there"):
        list(file.blocks(["id"]))
    vars(file)["n_rows"] = 10**9
    with pytest.raises(ValueError, match="it would unpack to 8,000,000,000 bytes, more than"):
        list(read_blocks([file], ["id"]))
