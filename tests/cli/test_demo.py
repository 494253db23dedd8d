import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from diffresnet.cli import app


def test_prints_the_table_and_writes_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make_report(_model: object, ids: list[str], title: str) -> bytes:
        return f"{title}, {len(ids)}".encode()

    monkeypatch.setattr("diffresnet.report.classification.page.make_report", make_report)
    out = tmp_path / "demo"
    result = CliRunner().invoke(app, ["demo", "--out", str(out), "--draws", "1", "--seed", "1"])
    assert result.exit_code == 0, result.output
    numbers = json.loads((out / "accuracy.json").read_text())
    assert len(numbers["accuracy"]) == 6
    for name, values in numbers["accuracy"].items():
        row = next(line for line in result.output.splitlines() if line.startswith(f"│ {name}"))
        assert row.split("│")[2].strip() == f"{100 * values['mean']:.1f}"
    with (out / "predictions.csv").open() as stream:
        assert len(list(csv.DictReader(stream))) == 1797
    assert (out / "report.html").read_text() == "1,797 digits from 10 labels, 1797"
    assert f"wrote {out / 'report.html'}" in result.output


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = CliRunner().invoke(app, ["demo", "--out", str(tmp_path / "file")])
    assert result.exit_code == 2
    assert "cannot write" in result.output
