import os
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from diffresnet.cli import app
from diffresnet.studio.answering import EXPORTS
from tests.studio.studios import label_all_classes, open_clusters, write_clusters

RUNNER = CliRunner()


def run(*arguments: str | Path) -> tuple[int, str]:
    result = RUNNER.invoke(app, ["studio", *map(str, arguments)], env={"COLUMNS": "200"})
    return result.exit_code, " ".join(result.output.replace("│", " ").split())


def test_everything_is_exported_without_a_page(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    label_all_classes(studio, 2)
    studio.close()
    code, said = run(tmp_path / "points.npz", "--export", tmp_path / "out")
    assert code == 0, said
    assert {path.name for path in (tmp_path / "out").iterdir()} == set(EXPORTS)
    table = pl.read_csv(tmp_path / "out" / "predictions.csv")
    assert len(table) == 90
    code, said = run(tmp_path / "points.npz.studio.sqlite", "--export", tmp_path / "out")
    assert code == 2
    assert "which exists. Choose another --export, or pass --force." in said


def test_what_cannot_be_made_is_said(tmp_path: Path) -> None:
    code, said = run(write_clusters(tmp_path), "--export", tmp_path / "out")
    assert code == 0
    assert "model.npz is left out. The studio must be one with a label, got none yet." in said
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"labels.csv", "label_studio.json"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere"], "SOURCE must be a folder or file that exists, got nowhere. Check its name."),
        (["points.npz", "--host", "0.0.0.0"], "--host must be 127.0.0.1, this machine alone"),  # noqa: S104
        (["points.npz", "--port", "70000"], "--port"),
    ],
)
def test_refusals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], sentence: str
) -> None:
    write_clusters(tmp_path)
    monkeypatch.chdir(tmp_path)
    code, said = run(*arguments, "--no-browser")
    assert code == 2
    assert sentence in said


def test_without_a_browser_what_does_not_open_ends_it(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("")
    code, said = run(tmp_path / "empty.csv", "--no-browser")
    assert code == 2
    assert "empty.csv (empty CSV). Write it again." in said
    studio = open_clusters(tmp_path)
    code, said = run(tmp_path / "points.npz", "--no-browser")
    studio.close()
    assert code == 2
    assert "points.npz.studio.sqlite" in said
    assert "Close the other studio, or choose another file by --file." in said


def test_with_a_browser_it_is_said_and_the_page_stays(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("")
    command = f"from diffresnet.cli import app; app(['studio', '{tmp_path / 'empty.csv'}'])"
    page = subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", command],
        env={**os.environ, "BROWSER": "true"},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    assert page.stderr is not None
    said = page.stderr.readline()
    try:
        assert said.startswith("It did not open. ")
        assert page.poll() is None
    finally:
        page.send_signal(signal.SIGINT)
        page.communicate(timeout=30)


def test_without_the_extra_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "uvicorn", None)
    code, said = run(write_clusters(tmp_path), "--no-browser")
    assert code == 2
    assert "needs `uvicorn`. Run `pip install 'diffresnet[studio]'`." in said


def test_the_help_teaches() -> None:
    code, said = run("--help")
    assert code == 0
    for words in ("diffresnet studio photos/", "--no-browser", "--export", "--allow-remote"):
        assert words in said
