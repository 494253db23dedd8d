import sqlite3
from pathlib import Path

import pytest

from diffresnet.studio.database import check_format, connect, read_meta, reading


def test_a_file_is_open_in_one_studio_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    base = connect(path)
    base.execute("CREATE TABLE meta (name TEXT, value TEXT)")
    with pytest.raises(ValueError, match="must be one that no other studio has open"):
        connect(path)
    base.close()
    again = connect(path)
    assert read_meta(again) == {}
    again.close()


def test_what_is_committed_is_on_the_disk(tmp_path: Path) -> None:
    base = connect(tmp_path / "a.sqlite")
    assert base.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    assert base.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert base.execute("PRAGMA foreign_keys").fetchone() == (1,)
    assert base.execute("PRAGMA trusted_schema").fetchone() == (0,)
    base.close()


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    base = connect(path)
    with pytest.raises(ValueError, match="must be one that the studio wrote, got"):
        check_format(base, path)
    base.close()
    with pytest.raises(ValueError, match="must be one that can be read and written"):
        connect(tmp_path / "no folder" / "a.sqlite")


def test_damage_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with pytest.raises(ValueError, match=r"must be whole, got .*torn"), reading(path):
        raise sqlite3.DatabaseError("torn")
    with pytest.raises(ValueError, match="The studio file is as it is"), reading(path):
        raise ValueError("The studio file is as it is")


def test_a_studio_that_is_refused_leaves_the_log_of_the_other_alone(tmp_path: Path) -> None:
    path, log = tmp_path / "a.sqlite", tmp_path / "a.sqlite-wal"
    first = connect(path)
    first.execute("CREATE TABLE kept (number INTEGER)")
    before = log.stat()
    with pytest.raises(ValueError, match="one that no other studio has open"):
        connect(path)
    assert log.stat().st_ino == before.st_ino
    first.execute("INSERT INTO kept VALUES (7)")
    copy = tmp_path / "b.sqlite"  # as it would be after a kill
    copy.write_bytes(path.read_bytes())
    copy.with_name("b.sqlite-wal").write_bytes(log.read_bytes())
    assert connect(copy).execute("SELECT * FROM kept").fetchall() == [(7,)]
    first.close()
