import errno
import os
from pathlib import Path

import pytest

from diffresnet._support.locking import locked, open_locked

posix = pytest.mark.skipif(os.name != "posix", reason="Windows has no such locks")


@posix
def test_one_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with locked(path):
        with pytest.raises(BlockingIOError), locked(path):
            pass
        assert path.exists()
    assert not path.exists()
    with locked(path):
        assert path.exists()


@posix
def test_a_file_that_is_removed_before_it_is_locked_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")
    lock, taken = fcntl.flock, list[bool]()

    def remove_first(descriptor: int, operation: int) -> None:
        if not taken:
            (tmp_path / "lock").unlink()
        taken.append(True)
        lock(descriptor, operation)

    monkeypatch.setattr("fcntl.flock", remove_first)
    with open_locked(tmp_path / "lock"):
        assert (tmp_path / "lock").exists()
    assert len(taken) == 2


@posix
def test_a_disk_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", fail)
    with locked(tmp_path / "lock"):
        pass
    assert not list(tmp_path.iterdir())
