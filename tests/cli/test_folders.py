from pathlib import Path

import pytest
import typer

from diffresnet.cli.folders import make_folder


def test_makes_the_folder(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(
        typer.BadParameter, match=r"cannot write to .*file: .* Choose another --out"
    ):
        make_folder(tmp_path / "file")


def test_a_folder_of_somebody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> bool:
        return False

    monkeypatch.setattr("os.access", refuse)
    with pytest.raises(typer.BadParameter, match="not allowed"):
        make_folder(tmp_path)
