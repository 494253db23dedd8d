import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from diffresnet.cli import app
from diffresnet.paper.fewshot.plan import TaskPlan
from diffresnet.report.files import Report
from tests.paper.examples import save_bank

REPORTS = {
    "ablation": "diffresnet.cli.reproduce.tables.report_ablation",
    "fewshot": "diffresnet.cli.reproduce.tables.report_table",
    "tsne": "diffresnet.cli.reproduce.tables.report_tsne",
}


@pytest.mark.parametrize(
    ("command", "options", "expected"),
    [
        ("ablation", [], {"shots": (1, 5), "solver": "kernel"}),
        ("ablation", ["--shots", "3", "--solver", "descent"], {"shots": (3,), "solver": "descent"}),
        ("fewshot", [], {"shots": (1, 5), "solver": "kernel", "skip_slow": False}),
        ("fewshot", ["--skip-slow"], {"shots": (1, 5), "solver": "kernel", "skip_slow": True}),
        ("tsne", ["--task", "4"], {"task": 4}),
    ],
)
def test_asks_for_what_was_said(
    command: str,
    options: list[str],
    expected: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: dict[str, Any] = {}

    def report(plan: TaskPlan, **given: object) -> Report:
        asked.update(given, plan=plan)
        return Report("title", [], {}, {})

    monkeypatch.setattr(REPORTS[command], report)
    bank = save_bank(tmp_path / "birds.npz")
    words = ["--features", str(bank), "--out", str(tmp_path / "out"), "--seed", "5", *options]
    result = CliRunner().invoke(app, ["reproduce", command, *words])
    assert result.exit_code == 0, result.output
    plan = asked.pop("plan")
    assert asked == expected
    assert (plan.seed, plan.split, plan.n_tasks) == (5, "test", 1 if command == "tsne" else 1000)
    assert "index.html" in result.output


def test_ablation_from_beginning_to_end(tmp_path: Path) -> None:
    bank, out = save_bank(tmp_path / "birds.npz"), tmp_path / "out"
    words = ["--features", str(bank), "--out", str(out), "--tasks", "2", "--jobs", "1"]
    result = CliRunner().invoke(app, ["reproduce", "ablation", *words, "--shots", "1"])
    assert result.exit_code == 0, result.output
    names = {path.name for path in out.iterdir()}
    assert names == {"index.html", "results.json", "ablation.png", "ablation.svg"}
    page = (out / "index.html").read_text()
    assert page.count("<img") == 1
    assert 'src="http' not in page
    results = json.loads((out / "results.json").read_text())
    accuracy = results["results"][0]["accuracy"]
    assert f"{100 * accuracy:.2f}" in result.output


@pytest.mark.parametrize("command", REPORTS)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--features", "none.npz"], "There is no file none.npz"),
        (["--split", "novel"], "there is no split 'novel'"),
        (["--split", "train"], "the number of classes in the split"),
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
