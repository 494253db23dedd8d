import sys
from pathlib import Path

import polars as pl
import pytest

from diffresnet.files.points import read_points
from diffresnet.files.trial import check_survivable

ONE_BIT = Path(__file__).parent.parent / "data" / "one_bit.parquet"
"""Four points; one bit has changed, and polars 2.1 asks for terabytes."""


def test_a_bit_that_would_end_the_process() -> None:
    with pytest.raises(ValueError, match=r"FEATURES must be a \.parquet table, got .*one_bit"):
        read_points(ONE_BIT)


def test_files_that_can_be_read_and_errors_that_can_be_caught(tmp_path: Path) -> None:
    path = tmp_path / "caf\udce9.parquet"
    with path.open("wb") as stream:
        pl.DataFrame({"*": [1.0], "^x$": ["a"]}).write_parquet(stream)
    check_survivable(path, ["*", "^x$"], 2**28)
    check_survivable(path, ["y"], 2**28)
    check_survivable(tmp_path / "none.parquet", [], 2**28)


def test_too_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"x": pl.Series([0.0]).new_from_index(0, 10**8)}).write_parquet(path)
    with pytest.raises(ValueError, match="needs more memory than a file of its size may"):
        check_survivable(path, ["x"], -(2**32) + 2**30)


def test_nothing_of_the_folder_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "polars.py").write_text("open('run', 'w')")
    monkeypatch.chdir(tmp_path)
    check_survivable(tmp_path / "a.parquet", ["x"], 2**28)
    assert not (tmp_path / "run").exists()


def test_without_an_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "")
    check_survivable(ONE_BIT, ["id"], 2**28)
