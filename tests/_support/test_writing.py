import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from diffresnet._support.writing import (
    PART,
    encode_json,
    own_prefix,
    scratch_folder,
    write_whole,
    write_whole_folder,
)
from tests.kills import killed_in

posix = pytest.mark.skipif(os.name != "posix", reason="Windows has no such locks")


def test_writes_and_replaces(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file.txt"
    assert write_whole(path, b"one") == path
    write_whole(path, b"two")
    assert path.read_bytes() == b"two"
    assert [p.name for p in path.parent.iterdir()] == ["file.txt"]


def test_permissions_are_those_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "usual").write_bytes(b"")
    write_whole(tmp_path / "whole", b"")
    assert (tmp_path / "whole").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_failure_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.txt"
    write_whole(path, b"old")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["file.txt"]


@posix
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("place", ["os.fsync", "pathlib.Path.chmod", "pathlib.Path.replace"])
def test_what_a_kill_leaves_is_removed_by_the_next_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    def kill(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    (tmp_path / ".file.txt.swp").write_bytes(b"the user's own")
    with monkeypatch.context() as patch:
        patch.setattr(place, kill)
        assert killed_in(lambda: write_whole(tmp_path / "file.txt", b"new")) == signal.SIGKILL
    assert len(list(tmp_path.iterdir())) == 2
    write_whole(tmp_path / "other.txt", b"other")
    assert {path.name for path in tmp_path.iterdir()} == {".file.txt.swp", "other.txt"}


@posix
def test_what_another_process_is_writing_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync = os.fsync

    def write_another(descriptor: int) -> None:
        monkeypatch.setattr("os.fsync", sync)
        write_whole(tmp_path / "second", b"second")
        sync(descriptor)

    monkeypatch.setattr("os.fsync", write_another)
    write_whole(tmp_path / "first", b"first")
    assert (tmp_path / "first").read_bytes() == b"first"
    assert {path.name for path in tmp_path.iterdir()} == {"first", "second"}


@posix
def test_what_another_machine_is_writing_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a shared folder, locks of other machines may not be seen: all are granted here."""
    sync = os.fsync

    def grant(*_: object) -> None: ...

    def write_elsewhere(descriptor: int) -> None:
        monkeypatch.setattr("os.fsync", sync)
        with monkeypatch.context() as patch:
            patch.setattr("socket.gethostname", lambda: "another-" + 300 * "/é")
            write_whole(tmp_path / "second", b"second")
            write_whole_folder(tmp_path / "third", [("part", b"third")])
        sync(descriptor)

    monkeypatch.setattr("fcntl.flock", grant)
    monkeypatch.setattr("os.fsync", write_elsewhere)
    write_whole(tmp_path / "first", b"first")
    assert (tmp_path / "first").read_bytes() == b"first"
    assert {path.name for path in tmp_path.iterdir()} == {"first", "second", "third"}


def test_machines_have_parts_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    prefixes = set[str]()
    for name in ("a", "a-b", "long" * 100, "../..", "\udce9"):
        monkeypatch.setattr("socket.gethostname", lambda name=name: name)
        prefixes.add(own_prefix())
    assert len(prefixes) == 5
    assert len({len(one) for one in prefixes}) == 1
    assert all(one.isascii() and "/" not in one and len(one) < 40 for one in prefixes)


@posix
def test_a_part_that_is_removed_before_it_is_locked_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")
    lock, taken = fcntl.flock, list[bool]()

    def remove_first(descriptor: int, operation: int) -> None:
        if not taken:
            for part in tmp_path.iterdir():
                part.unlink()
        taken.append(True)
        lock(descriptor, operation)

    monkeypatch.setattr("fcntl.flock", remove_first)
    assert write_whole(tmp_path / "file.txt", b"new").read_bytes() == b"new"
    assert len(taken) == 2


@posix
def test_a_pipe_in_the_way_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / f"{own_prefix()}x{PART}")
    write_whole(tmp_path / "file.txt", b"new")
    assert (tmp_path / "file.txt").read_bytes() == b"new"


def test_numbers_are_a_line_each() -> None:
    assert encode_json({"a": 1, "b": [2]}) == b'{\n "a": 1,\n "b": [\n  2\n ]\n}\n'


FILES = [("a", b"one"), ("b", b"two")]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_folder_is_written_and_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    assert write_whole_folder(folder, FILES) == folder
    assert contents(folder) == dict(FILES)
    (tmp_path / "usual").mkdir()
    assert folder.stat().st_mode == (tmp_path / "usual").stat().st_mode
    write_whole_folder(folder, iter(FILES[1:]))
    assert contents(folder) == {"b": b"two"}
    assert list(folder.parent.iterdir()) == [folder]
    (tmp_path / "link").symlink_to(folder)
    write_whole_folder(tmp_path / "link", FILES)
    assert contents(folder) == dict(FILES)


@pytest.mark.parametrize("place", ["os.fsync", "pathlib.Path.chmod", "pathlib.Path.rename"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_a_failure_keeps_the_old_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, error: BaseException
) -> None:
    folder = write_whole_folder(tmp_path / "folder", FILES)

    def fail(*_: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(place, fail)
        with pytest.raises((KeyboardInterrupt, OSError)):
            write_whole_folder(folder, FILES[:1])
    assert contents(folder) == dict(FILES)
    assert list(tmp_path.iterdir()) == [folder]


def test_a_folder_that_cannot_be_moved_keeps_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, rename = write_whole_folder(tmp_path / "folder", FILES), Path.rename

    def fail(path: Path, target: Path) -> Path:
        if target == folder and path.name != folder.name:
            raise KeyboardInterrupt
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(KeyboardInterrupt):
        write_whole_folder(folder, FILES[:1])
    assert contents(folder) == dict(FILES)
    assert list(tmp_path.iterdir()) == [folder]


def test_files_that_cannot_be_made_leave_no_folder(tmp_path: Path) -> None:
    def files() -> Iterator[tuple[str, bytes]]:
        yield FILES[0]
        raise MemoryError

    with pytest.raises(MemoryError):
        write_whole_folder(tmp_path / "folder", files())
    assert list(tmp_path.iterdir()) == []


@posix
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("place", ["os.fsync", "pathlib.Path.chmod", "pathlib.Path.rename"])
def test_what_a_kill_leaves_of_a_folder_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    def kill(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    folder = tmp_path / "folder"
    with monkeypatch.context() as patch:
        patch.setattr(place, kill)
        assert killed_in(lambda: write_whole_folder(folder, FILES)) == signal.SIGKILL
    assert not folder.exists()
    assert len(list(tmp_path.iterdir())) == 1
    write_whole(tmp_path / "other.txt", b"other")
    assert [path.name for path in tmp_path.iterdir()] == ["other.txt"]


@posix
def test_a_folder_that_another_process_writes_stays(tmp_path: Path) -> None:
    def files() -> Iterator[tuple[str, bytes]]:
        for name, content in FILES:
            write_whole_folder(tmp_path / f"other-{name}", FILES)
            yield name, content

    write_whole_folder(tmp_path / "folder", files())
    assert {path.name for path in tmp_path.iterdir()} == {"folder", "other-a", "other-b"}
    assert contents(tmp_path / "folder") == dict(FILES)


@posix
def test_a_folder_that_is_removed_before_it_is_locked_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")
    lock, taken = fcntl.flock, list[bool]()

    def remove_first(descriptor: int, operation: int) -> None:
        if not taken:
            for part in tmp_path.iterdir():
                part.rmdir()
        taken.append(True)
        lock(descriptor, operation)

    monkeypatch.setattr("fcntl.flock", remove_first)
    write_whole_folder(tmp_path / "folder", FILES)
    assert contents(tmp_path / "folder") == dict(FILES)
    assert len(taken) == 2


def test_a_folder_that_was_put_aside_by_a_kill_comes_back(tmp_path: Path) -> None:
    aside = tmp_path / f"{own_prefix()}x{PART}"
    (aside / "predictions").mkdir(parents=True)
    (aside / "predictions" / "part-0").write_bytes(b"old")
    write_whole_folder(tmp_path / "others", [("part-0", b"new")])
    assert (tmp_path / "predictions" / "part-0").read_bytes() == b"old"
    assert not aside.exists()
    write_whole_folder(tmp_path / "predictions", [("part-0", b"newer")])
    assert (tmp_path / "predictions" / "part-0").read_bytes() == b"newer"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["others", "predictions"]


@posix
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_scratch_folder_is_gone_after_the_block_and_after_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def use() -> None:
        with scratch_folder() as folder:
            (folder / "file.txt").write_bytes(b"for a moment")
            os.kill(os.getpid(), signal.SIGKILL)

    assert killed_in(use) == signal.SIGKILL
    (left,) = tmp_path.iterdir()
    with scratch_folder() as folder, scratch_folder() as other:
        assert set(tmp_path.iterdir()) == {folder, other}
        assert left not in (folder, other)
    assert not list(tmp_path.iterdir())


@posix
@pytest.mark.skipif(
    getattr(os, "geteuid", lambda: 1)() != 0, reason="only root may give files away"
)
def test_parts_of_another_user_stay(tmp_path: Path) -> None:
    part = tmp_path / f"{own_prefix()}other{PART}"
    part.write_bytes(b"")
    os.chown(part, 12345, 12345)
    write_whole(tmp_path / "file.txt", b"mine")
    assert part.exists()


@posix
def test_a_link_stays_and_its_file_is_written(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("file")
    for content in (b"one", b"two"):
        write_whole(tmp_path / "link", content)
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "file").read_bytes() == content


@posix
def test_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match=r"No regular file: '.*pipe'"):
        write_whole(tmp_path / "pipe", b"")
    with pytest.raises(IsADirectoryError, match=r"Is a directory: '.*folder'"):
        write_whole(tmp_path / "folder", b"")
    assert (tmp_path / "pipe").is_fifo()


def test_an_error_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match=r"'.*file/new\.txt'$"):
        write_whole(tmp_path / "file" / "new.txt", b"")
