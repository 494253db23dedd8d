import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from diffresnet.files import hdf5
from diffresnet.files.cells import read_cells
from diffresnet.files.hdf5 import check_hdf5

h5py: Any = pytest.importorskip("h5py")
LIMIT = 2**26
LENGTH = 0x1234


def make_file(path: Path, change: Callable[[Any], object] = lambda _: None) -> Path:
    with h5py.File(path, "w") as file:
        file["a/numbers"] = list(range(100))
        file["a/names"] = ["x", "y" * LENGTH]
        file["a"].attrs["about"] = "some text"
        change(file)
    return path


def test_a_sound_file_passes(tmp_path: Path) -> None:
    check_hdf5(make_file(tmp_path / "x.h5"), LIMIT)


def put_link(file: Any) -> None:
    file["a/far"] = h5py.ExternalLink("/etc/hostname", "x")


def put_circle(file: Any) -> None:
    file["a/b"] = file["a"]
    file["b"] = file["a"]


def put_outside(file: Any) -> None:
    file.create_dataset("a/out", (10,), "u1", external=[("/etc/hostname", 0, 10)])


def put_bomb(file: Any) -> None:
    file.create_dataset("a/huge", (2**40,), "f8", chunks=(1,))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (put_link, "'far' in it is a link to elsewhere"),
        (put_circle, "in it has two names"),
        (put_outside, "'/a/out' in it is kept elsewhere"),
        (put_bomb, "it would unpack to 8,796,093,0"),
    ],
)
def test_what_is_refused(tmp_path: Path, change: Callable[[Any], object], reason: str) -> None:
    path = make_file(tmp_path / "x.h5", change)
    with pytest.raises(ValueError, match=reason):
        check_hdf5(path, LIMIT)


def test_without_a_program_to_try_it_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "")
    check_hdf5(make_file(tmp_path / "x.h5"), LIMIT)
    with pytest.raises(ValueError, match="link to elsewhere"):
        check_hdf5(make_file(tmp_path / "y.h5", put_link), LIMIT)


def test_a_length_that_asks_for_gigabytes(tmp_path: Path) -> None:
    path = make_file(tmp_path / "x.h5")
    content = path.read_bytes()
    assert content.count(LENGTH.to_bytes(4, "little")) >= 1
    path.write_bytes(content.replace(LENGTH.to_bytes(4, "little"), b"\xff\xff\xff\x7f"))
    with pytest.raises(ValueError, match=r"\w"):
        check_hdf5(path, LIMIT)


def test_a_process_that_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "program.py"
    program.write_text("import os\nos.abort()\n")
    monkeypatch.setattr(hdf5, "__file__", str(program))
    with pytest.raises(ValueError, match="runs out of memory"):
        check_hdf5(make_file(tmp_path / "x.h5"), LIMIT)


def test_time_is_limited_where_memory_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    resource: Any = pytest.importorskip("resource")
    limited = list[int]()

    def there_is_none(*_: object) -> str:
        raise FileNotFoundError

    def note(kind: int, _: object) -> None:
        limited.append(kind)

    monkeypatch.setattr(resource, "setrlimit", note)
    monkeypatch.setattr(Path, "read_text", there_is_none)
    hdf5._set_limits(LIMIT)  # pyright: ignore[reportPrivateUsage]
    assert limited == [resource.RLIMIT_CORE, resource.RLIMIT_CPU]


def test_cells_are_looked_over(tmp_path: Path) -> None:
    pytest.importorskip("anndata")
    path = make_file(tmp_path / "x.h5ad", put_link)
    with pytest.raises(ValueError, match=r"FEATURES must be an \.h5ad file that anndata can read"):
        read_cells(path, "FEATURES")
