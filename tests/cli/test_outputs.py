import os
import signal
from pathlib import Path

import pytest

from diffresnet._support.writing import write_whole
from diffresnet.cli.outputs import MARK, check_new_file, check_new_folder, make_folder, write_files
from diffresnet.files.predictions import SUFFIXES
from tests.kills import killed_in


def test_makes_the_folder(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match=r"cannot write to .*file: .* Choose another --out"):
        make_folder(tmp_path / "file")


def test_a_folder_of_somebody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> bool:
        return False

    monkeypatch.setattr("os.access", refuse)
    with pytest.raises(ValueError, match="not allowed"):
        make_folder(tmp_path)


def test_a_new_file(tmp_path: Path) -> None:
    check_new_file(tmp_path / "new" / "out.csv", "--out", SUFFIXES, [], force=False)
    assert (tmp_path / "new").is_dir()
    (tmp_path / "out.csv").touch()
    check_new_file(tmp_path / "out.csv", "--out", SUFFIXES, [], force=True)
    message = r"--out must be a new file, got .*out.csv, which exists. Choose another --out, or"
    with pytest.raises(ValueError, match=message):
        check_new_file(tmp_path / "out.csv", "--out", SUFFIXES, [], force=False)


def test_files_that_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"ends in .csv or .parquet, got .*out.txt"):
        check_new_file(tmp_path / "out.txt", "--out", SUFFIXES, [], force=False)
    used = tmp_path / "in.csv"
    used.touch()
    with pytest.raises(ValueError, match="another file than those that are used"):
        check_new_file(used, "--out", SUFFIXES, [used], force=True)


def test_writes_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files({tmp_path / "[a].txt": b"one", tmp_path / "b": b"two"})
    assert (tmp_path / "[a].txt").read_bytes() == b"one"
    assert f"wrote {tmp_path}/[a].txt" in capsys.readouterr().out  # no markup


def test_a_disk_that_refuses(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match=r"cannot write .* Free some space, or choose another"):
        write_files({tmp_path / "file" / "a": b"one"})


def test_files_are_there_before_the_command_speaks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop() -> None:
        assert (tmp_path / "a").read_bytes() == b"one"
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        write_files({tmp_path / "a": b"one"}, stop)
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="cannot write"):
        write_files({tmp_path / "file" / "a": b"one"}, lambda: print("spoken"))  # noqa: T201
    assert capsys.readouterr().out == "spoken\n"


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such signals")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("n_synced", range(4))
def test_a_killed_command_is_called_again_without_force(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_synced: int
) -> None:
    contents = {tmp_path / "out.csv": b"one", tmp_path / "page.html": b"two"}
    synced: list[int] = []

    def kill_at(descriptor: int) -> None:
        if len(synced) == n_synced:
            os.kill(os.getpid(), signal.SIGKILL)
        synced.append(descriptor)

    def kill() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", kill_at)
        assert killed_in(lambda: write_files(contents, kill)) == signal.SIGKILL
    for path in contents:
        check_new_file(path, "--out", (path.suffix,), [], force=False)
    write_files(contents)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == contents
    with pytest.raises(ValueError, match="which exists"):
        check_new_file(tmp_path / "out.csv", "--out", (".csv",), [], force=False)


def test_everything_is_put_in_order_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remove, removed = Path.unlink, list[Path]()

    def look(path: Path, missing_ok: bool = False) -> None:
        removed.extend([path] if path.exists() else [])
        remove(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", look)
    write_files({tmp_path / name: b"one" for name in ("a.csv", "b.csv")})
    assert removed == [tmp_path / MARK]  # a kill leaves it for both files or for none


def test_so_is_one_that_was_stopped_while_it_spoke(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_files({out: b"one"}, stop)
    check_new_file(out, "--out", (".csv",), [], force=False)
    write_files({out: b"one"})
    assert list(tmp_path.iterdir()) == [out]


def test_so_is_one_that_was_stopped_twice_and_finds_other_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out.csv"

    def stop() -> None:
        raise KeyboardInterrupt

    def stop_after_the_mark(path: Path, content: bytes) -> Path:
        if path == out:
            raise KeyboardInterrupt
        return write_whole(path, content)

    with pytest.raises(KeyboardInterrupt):
        write_files({out: b"took 1.1 s"}, stop)
    monkeypatch.setattr("diffresnet.cli.outputs.write_whole", stop_after_the_mark)
    with pytest.raises(KeyboardInterrupt):
        write_files({out: b"took 1.2 s"})
    assert out.read_bytes() == b"took 1.1 s"
    check_new_file(out, "--out", (".csv",), [], force=False)


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_so_is_one_that_could_not_write_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    contents = {tmp_path / "out.csv": b"one", tmp_path / "page.html": b"two"}

    def stop_at_the_page(path: Path, content: bytes) -> Path:
        if path.suffix == ".html":
            raise error
        return write_whole(path, content)

    monkeypatch.setattr("diffresnet.cli.outputs.write_whole", stop_at_the_page)
    with pytest.raises((KeyboardInterrupt, ValueError)):
        write_files(contents)
    check_new_file(tmp_path / "out.csv", "--out", (".csv",), [], force=False)
    (tmp_path / "out.csv").write_bytes(b"changed by the user")
    with pytest.raises(ValueError, match="which exists"):
        check_new_file(tmp_path / "out.csv", "--out", (".csv",), [], force=False)


PARTS = [("part-0", b"one"), ("part-1", b"two")]


def check_parts(path: Path, *, force: bool = False) -> None:
    check_new_folder(path, "--out", "part-*", [], force=force)


def test_a_new_folder(tmp_path: Path) -> None:
    out = tmp_path / "new" / "out"
    check_parts(out)
    assert list(out.parent.iterdir()) == []
    out.mkdir()
    check_parts(out)  # it is empty
    write_files({out: iter(PARTS), tmp_path / "page": b"page"})
    assert {path.name: path.read_bytes() for path in out.iterdir()} == dict(PARTS)
    with pytest.raises(
        ValueError, match=r"--out must be a new folder, got .*out, which exists. Cho"
    ):
        check_parts(out)
    check_parts(out, force=True)


def test_folders_that_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_files({out: PARTS})
    (out / "mine.txt").touch()
    message = r"--out must be a new folder, or one with part-\* only, got .*out with 'mine.txt'. Ch"
    with pytest.raises(ValueError, match=message):
        check_parts(out, force=True)
    with pytest.raises(ValueError, match=r"a folder that can be written, got .*mine.txt \(Not a d"):
        check_parts(out / "mine.txt", force=True)
    for path in (out, out / "below", out / "far" / "below"):
        with pytest.raises(ValueError, match="another folder than those that are used, got"):
            check_new_folder(path, "--out", "part-*", [out], force=True)
    with pytest.raises(ValueError, match="another file than those that are used, got"):
        check_new_file(out / "page.html", "--report", (".html",), [out], force=True)


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such signals")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("n_synced", range(5))
def test_a_killed_command_writes_a_folder_without_force(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_synced: int
) -> None:
    contents = {tmp_path / "out": PARTS, tmp_path / "page.html": b"page"}
    synced: list[int] = []

    def kill_at(descriptor: int) -> None:
        if len(synced) == n_synced:
            os.kill(os.getpid(), signal.SIGKILL)
        synced.append(descriptor)

    def kill() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", kill_at)
        assert killed_in(lambda: write_files(contents, kill)) == signal.SIGKILL
    check_parts(tmp_path / "out")
    write_files(contents)
    assert {path.name for path in tmp_path.iterdir()} == {"out", "page.html"}
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"part-0", "part-1"}


def test_parts_that_a_user_has_changed_are_kept(tmp_path: Path) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_files({tmp_path / "out": PARTS}, stop)
    check_parts(tmp_path / "out")
    (tmp_path / "out" / "part-0").write_bytes(b"changed by the user")
    with pytest.raises(ValueError, match="which exists"):
        check_parts(tmp_path / "out")


def test_a_disk_that_is_full_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(
        ValueError, match=r"cannot write .*out \(No space left on device\). Free som"
    ):
        write_files({tmp_path / "out": PARTS})
    assert list(tmp_path.iterdir()) == []


def test_inputs_in_a_folder_of_results_are_safe(tmp_path: Path) -> None:
    (tmp_path / "part-00000.parquet").touch()
    used = [tmp_path / "part-00000.parquet"]
    with pytest.raises(ValueError, match="--out must be a folder without inputs, got"):
        check_new_folder(tmp_path, "--out", "part-*.parquet", used, force=True)


def test_the_folder_one_is_in_is_no_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in").mkdir()
    monkeypatch.chdir(tmp_path / "in")
    for name, reason in ((".", "the one you are in"), ("..", "which you are in")):
        with pytest.raises(ValueError, match=reason):
            check_new_folder(Path(name), "--out", "part-*.parquet", [], force=True)


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such pipes")
def test_a_pipe_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "out.csv")
    with pytest.raises(ValueError, match=r"--out must be a regular file, got .*something else"):
        check_new_file(tmp_path / "out.csv", "--out", SUFFIXES, [], force=True)


def test_the_mark_of_what_was_not_written_does_not_grow(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    contents = {tmp_path / "numbers.csv": b"1", tmp_path / "folder": b"2"}
    sizes: list[int] = []
    for _ in range(3):
        with pytest.raises(ValueError, match="cannot write"):
            write_files(contents)
        sizes.append((tmp_path / MARK).stat().st_size)
    assert sizes == [sizes[0]] * 3
