import os
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest
import torch

from diffresnet._support import tensors
from diffresnet._support.tensors import read_tensors, write_tensors


def _write(path: Path) -> Path:
    weights = torch.randn(50, 50, generator=torch.Generator().manual_seed(0))
    return write_tensors(path, {"weights": weights, "epoch": 3})


def test_what_is_written_is_read(tmp_path: Path) -> None:
    content = read_tensors(_write(tmp_path / "a.pt"))
    assert content["epoch"] == 3
    assert content["weights"].shape == (50, 50)
    with pytest.raises(FileNotFoundError, match=r"There is no file .*no\.pt\."):
        read_tensors(tmp_path / "no.pt")


def test_every_bit_that_changed_is_told(tmp_path: Path) -> None:
    path = _write(tmp_path / "a.pt")
    whole, random = path.read_bytes(), np.random.default_rng(0)
    kept = read_tensors(path)["weights"]
    for place in random.integers(0, len(whole), 200):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(random.integers(8))
        path.write_bytes(damaged)
        try:
            content = read_tensors(path)
        except ValueError as error:
            assert str(error) == "it is damaged"  # noqa: PT017
        else:  # a bit that does not matter
            assert content["epoch"] == 3
            assert torch.equal(content["weights"], kept)


@pytest.mark.parametrize("n_bytes", [0, 1, 100, 5000])
def test_what_ends_too_soon(tmp_path: Path, n_bytes: int) -> None:
    path = _write(tmp_path / "a.pt")
    path.write_bytes(path.read_bytes()[:n_bytes])
    with pytest.raises(ValueError, match="it is damaged"):
        read_tensors(path)


def test_what_is_compressed_could_unpack_to_anything(tmp_path: Path) -> None:
    path = _write(tmp_path / "a.pt")
    with ZipFile(path) as archive, ZipFile(tmp_path / "b.pt", "w", ZIP_DEFLATED) as packed:
        for name in archive.namelist():
            packed.writestr(name, archive.read(name))
    with pytest.raises(ValueError, match="it is damaged"):
        read_tensors(tmp_path / "b.pt")


def test_objects_of_python_are_not_made(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> tuple[object, ...]:
            return os.mkdir, (str(tmp_path / "made"),)

    torch.save({"a": Evil()}, tmp_path / "a.pt")
    with pytest.raises(ValueError, match="it is damaged"):
        read_tensors(tmp_path / "a.pt")
    assert not (tmp_path / "made").exists()


def test_other_values_and_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.save([1], tmp_path / "list.pt")
    with pytest.raises(ValueError, match="it is damaged"):
        read_tensors(tmp_path / "list.pt")
    with pytest.raises(ValueError, match="it is damaged"):
        read_tensors(tmp_path)
    path = _write(tmp_path / "a.pt")
    monkeypatch.setattr(tensors, "MOST_BYTES", 100)
    with pytest.raises(ValueError, match="it is damaged"):
        read_tensors(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.pt")
    with pytest.raises(ValueError, match="it is damaged"):
        read_tensors(tmp_path / "a.pt")
