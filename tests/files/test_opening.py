import os
import struct
import zipfile
from pathlib import Path

import pytest

from diffresnet.files.opening import (
    LEAST_LIMIT,
    check_unpacked,
    is_folder,
    is_zip,
    list_files,
    opened,
    size_of,
)


def read(path: Path) -> bytes:
    with opened(path, "FILE", "a good file", "Mend it.") as stream:
        return stream.read()


def test_reads_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"PK\x03\x04 and more")
    assert read(path) == b"PK\x03\x04 and more"
    with opened(path, "FILE") as stream:
        assert is_zip(stream)
        assert size_of(stream) == 13
        assert stream.tell() == 0


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"There is no file .*\."):
        read(tmp_path / "none")


def test_what_is_no_regular_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")  # reading it would wait for ever
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name, reason in (
        ("pipe", "it is no regular file"),
        ("", "it is no regular file"),
        ("loop", "Too many levels of symbolic links"),
        ("a" * 300, "File name too long"),
    ):
        with pytest.raises(ValueError, match=rf"FILE must be a good file, .*\({reason}\)\. Mend"):
            read(tmp_path / name)


def test_a_name_that_is_no_unicode(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9")
    path.mkdir()
    with pytest.raises(ValueError, match=r"caf\\udce9 \(it is no regular file\)") as error:
        read(path)
    assert str(error.value).encode()


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (struct.error("unpack requires a buffer"), "unpack requires a buffer"),
        (zipfile.BadZipFile("torn"), "torn"),
        (MemoryError("3 GB"), "it needs more memory than there is"),
        (RecursionError(), "RecursionError"),
        (ValueError("set allow_pickle=True to load it"), "it has objects of Python, or no array"),
        (ValueError("x" * 10**6), r"xxx\.\.\.xxx"),
    ],
)
def test_whatever_is_raised_inside_is_one_short_sentence(
    tmp_path: Path, error: Exception, reason: str
) -> None:
    (tmp_path / "a").touch()
    with (
        pytest.raises(ValueError, match=f"FILE must be a good file, .*{reason}") as raised,
        opened(tmp_path / "a", "FILE", "a good file"),
    ):
        raise error
    assert len(str(raised.value)) < 1000


def test_what_a_file_may_unpack_to() -> None:
    check_unpacked(LEAST_LIMIT, 10)
    check_unpacked(100 * LEAST_LIMIT, LEAST_LIMIT)
    with pytest.raises(ValueError, match=r"unpack to 268,435,457 bytes, more than 268,435,456: "):
        check_unpacked(LEAST_LIMIT + 1, 10)


def test_the_files_of_a_folder(tmp_path: Path) -> None:
    for name in ("b.PARQUET", "a.parquet", "readme.md", ".c.parquet"):
        (tmp_path / name).touch()
    (tmp_path / ".cache").mkdir()
    found = list_files(tmp_path, "F", ".parquet")
    assert [path.name for path in found] == ["a.parquet", "b.PARQUET"]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (
            [],
            "F must be a folder of .parquet files, got {folder}, empty. Name one of its files",
        ),
        (["a.csv", "b.csv"], "F must be a folder of .parquet files, got {folder} with 'a.csv', 'b"),
        (["a.parquet", "more/"], "F must be a folder without folders in it, got {folder} with 'mo"),
        (["a.parquet", "b.parquet/"], "F must be a folder without folders in it, got {folder} wit"),
        (["a.parquet", "b.parquet@"], "a folder of regular files, got {folder} with 1 link: 'b.pa"),
        (["a.parquet", "b@"], "a folder without folders in it, got {folder} with 'b'. Move its fi"),
    ],
)
def test_folders_that_are_refused(tmp_path: Path, names: list[str], message: str) -> None:
    folder, outside = tmp_path / "in", tmp_path / "out"
    for one in (folder, outside):
        one.mkdir()
    (outside / "x.parquet").touch()
    for name in names:
        if name.endswith("/"):
            (folder / name).mkdir()
        elif name.endswith("@"):
            path = folder / name[:-1]
            path.symlink_to(outside / "x.parquet" if path.suffix else outside)
        else:
            (folder / name).touch()
    with pytest.raises(ValueError, match="F must be") as error:
        list_files(folder, "F", ".parquet")
    assert message.format(folder=folder) in str(error.value)


def test_a_folder_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(ValueError, match=r"a folder that can be read, got .*\(Permission denied\)"):
        list_files(tmp_path, "F", ".parquet")
    monkeypatch.setattr(Path, "is_dir", refuse)
    assert not is_folder(tmp_path)
