import sys
from pathlib import Path

import polars as pl
import pytest

from diffresnet.files.points import read_points
from diffresnet.files.trial import first_deadly

ONE_BIT = Path(__file__).parent.parent / "data" / "one_bit.parquet"
"""Four points; one bit has changed, and polars 2.1 asks for terabytes."""


def test_a_bit_that_would_end_the_process() -> None:
    with pytest.raises(ValueError, match=r"FEATURES must be a \.parquet table, got .*one_bit"):
        read_points(ONE_BIT)


def test_files_that_can_be_read_and_errors_that_can_be_caught(tmp_path: Path) -> None:
    path = tmp_path / "caf\udce9.parquet"
    with path.open("wb") as stream:
        pl.DataFrame({"*": [1.0], "^x$": ["a"]}).write_parquet(stream)
    assert first_deadly([(path, 1, 1)], ["*", "^x$"], 2**28) is None
    assert first_deadly([(path, 1, 1)] * 2, ["y"], 2**28) is None
    assert first_deadly([(tmp_path / "none.parquet", 1, 1)], [], 2**28) is None


def test_too_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"x": pl.Series([0.0]).new_from_index(0, 10**8)}).write_parquet(path)
    good = tmp_path / "b.parquet"
    pl.DataFrame({"x": [0.0]}).write_parquet(good)
    assert first_deadly([(good, 1, 1), (path, 10**8, 10**8)], ["x"], -(2**32) + 2**30) == 1


def test_the_file_that_would_end_the_process_is_told(tmp_path: Path) -> None:
    good = tmp_path / "a.parquet"
    pl.DataFrame({"id": ["a"]}).write_parquet(good)
    names = list(pl.read_parquet_schema(ONE_BIT))
    assert first_deadly([(one, 4, 4) for one in (good, good, ONE_BIT, good)], names, 2**28) == 2


def test_nothing_of_the_folder_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "polars.py").write_text("open('run', 'w')")
    monkeypatch.chdir(tmp_path)
    assert first_deadly([(tmp_path / "a.parquet", 1, 1)], ["x"], 2**28) is None
    assert not (tmp_path / "run").exists()


def test_without_an_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "")
    assert first_deadly([(ONE_BIT, 4, 4)], ["id"], 2**28) is None
