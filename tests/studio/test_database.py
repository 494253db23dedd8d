import sqlite3
from pathlib import Path

import pytest

from diffresnet.studio.database import check_format, close, connect, read_meta, reading


def test_a_file_is_open_in_one_studio_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    base = connect(path)
    base.execute("CREATE TABLE meta (name TEXT, value TEXT)")
    with pytest.raises(ValueError, match="must be one that no other studio has open"):
        connect(path)
    close(base, path)
    again = connect(path)
    assert read_meta(again) == {}
    close(again, path)


def test_what_is_committed_is_on_the_disk(tmp_path: Path) -> None:
    base = connect(tmp_path / "a.sqlite")
    assert base.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    assert base.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert base.execute("PRAGMA foreign_keys").fetchone() == (1,)
    assert base.execute("PRAGMA trusted_schema").fetchone() == (0,)
    close(base, tmp_path / "a.sqlite")


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    base = connect(path)
    with pytest.raises(ValueError, match="must be one that the studio wrote, got"):
        check_format(base, path)
    close(base, path)
    with pytest.raises(ValueError, match="must be one that can be written"):
        connect(tmp_path / "no folder" / "a.sqlite")


def test_damage_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with pytest.raises(ValueError, match=r"must be whole, got .*torn"), reading(path):
        raise sqlite3.DatabaseError("torn")
    with pytest.raises(ValueError, match="The studio file is as it is"), reading(path):
        raise ValueError("The studio file is as it is")


def test_closing_leaves_no_empty_log(tmp_path: Path) -> None:
    path, log = tmp_path / "a.sqlite", tmp_path / "a.sqlite-wal"
    base = connect(path)
    log.write_bytes(b"")
    close(base, path)
    assert not log.exists()
