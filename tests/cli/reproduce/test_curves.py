import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from diffresnet.cli import app
from diffresnet.paper.fewshot.plan import TaskPlan
from diffresnet.report.files import Report
from tests.paper.examples import save_bank


@pytest.mark.parametrize("command", ["n-top", "strength", "steps"])
def test_asks_for_the_figure(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    def report(plan: TaskPlan, name: str, **given: object) -> Report:
        asked.update(given, name=name, tasks=(plan.n_tasks, plan.n_jobs))
        return Report("title", [], {}, {})

    monkeypatch.setattr("diffresnet.cli.reproduce.curves.report_sweep", report)
    words = ["--features", str(save_bank(tmp_path / "birds.npz")), "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(app, ["reproduce", command, *words, "--shots", "5"])
    assert result.exit_code == 0, result.output
    assert asked == {"name": command, "n_shots": 5, "solver": "kernel", "tasks": (1000, 2)}


def test_time_counts_descent_tasks_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    def report(plan: TaskPlan, **given: object) -> Report:
        asked.update(given, tasks=(plan.n_tasks, plan.n_jobs))
        return Report("title", [], {}, {})

    monkeypatch.setattr("diffresnet.cli.reproduce.curves.report_time", report)
    words = ["--features", str(save_bank(tmp_path / "birds.npz")), "--out", str(tmp_path / "out")]
    for extra, n_descent_tasks in (([], 3), (["--descent-tasks", "0"], 0)):
        result = CliRunner().invoke(app, ["reproduce", "time", *words, *extra])
        assert result.exit_code == 0, result.output
        assert asked == {"n_shots": 1, "n_descent_tasks": n_descent_tasks, "tasks": (200, 1)}


def test_strength_from_beginning_to_end(tmp_path: Path) -> None:
    bank, out = save_bank(tmp_path / "birds.npz"), tmp_path / "out"
    words = ["--features", str(bank), "--out", str(out), "--tasks", "2", "--jobs", "1"]
    result = CliRunner().invoke(app, ["reproduce", "strength", *words])
    assert result.exit_code == 0, result.output
    names = {path.name for path in out.iterdir()}
    assert names == {"index.html", "results.json", "strength.png", "strength.svg"}
    assert len(json.loads((out / "results.json").read_text())["results"]) == 21


@pytest.mark.parametrize("command", ["n-top", "strength", "steps", "time"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--features", "none.npz"], "There is no file none.npz"),
        (["--split", "novel"], "there is no split 'novel'"),
        (["--shots", "8"], "class 'bird 0' with 22 examples"),
        (["--tasks", "0"], "--tasks"),
    ],
)
def test_wrong_input_gets_a_sentence(
    command: str, options: list[str], message: str, tmp_path: Path
) -> None:
    bank = save_bank(tmp_path / "birds.npz")
    words = ["--features", str(bank), "--out", str(tmp_path / "out"), *options]
    result = CliRunner().invoke(app, ["reproduce", command, *words])
    assert result.exit_code == 2
    assert message in " ".join(result.output.replace("│", " ").split())
    assert "Traceback" not in result.output
