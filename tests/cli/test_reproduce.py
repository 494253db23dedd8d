from pathlib import Path

import pytest
from typer.testing import CliRunner

from diffresnet.cli import app
from diffresnet.report.files import Report


def test_synthetic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, object] = {}

    def report(**options: int) -> Report:
        asked.update(options)
        return Report("title", [], {}, {})

    monkeypatch.setattr("diffresnet.cli.reproduce.synthetic.report_synthetic", report)
    arguments = ["reproduce", "synthetic", "--out", str(tmp_path), "--seeds", "3", "--jobs", "1"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert asked == {"n_seeds": 3, "n_epochs": 200, "n_jobs": 1}
    assert "index.html" in result.output
    assert (tmp_path / "index.html").is_file()


@pytest.mark.parametrize(
    "arguments", [["--out", "x", "--seeds", "0"], ["--out", "x", "--epochs", "5"], []]
)
def test_wrong_arguments(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, ["reproduce", "synthetic", *arguments])
    assert result.exit_code == 2


@pytest.mark.parametrize(
    "command", ["ablation", "fewshot", "n-top", "strength", "steps", "time", "tsne"]
)
def test_help_teaches(command: str) -> None:
    result = CliRunner().invoke(app, ["reproduce", command, "--help"])
    assert result.exit_code == 0
    words = " ".join(result.output.split())
    for text in ("index.html", "results.json", f"Example: diffresnet reproduce {command}"):
        assert text in words
