import json
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from diffresnet.cli import app
from diffresnet.cli.reproduce.fewshot import finish, plan_tasks
from diffresnet.paper.fewshot.plan import TaskPlan
from diffresnet.report.files import Report
from diffresnet.report.page import Table
from tests.paper.examples import save_bank, small_plan

REPORTS = {
    "ablation": "diffresnet.cli.reproduce.fewshot.report_ablation",
    "fewshot": "diffresnet.cli.reproduce.fewshot.report_table",
    "tsne": "diffresnet.cli.reproduce.fewshot.report_tsne",
}


def make_plan(features: Path, out: Path, *, n_shots: int) -> TaskPlan:
    return plan_tasks(features, out, [n_shots], split=None, tasks=7, seed=3, jobs=2)


def test_a_plan(tmp_path: Path) -> None:
    out = tmp_path / "out"
    plan = make_plan(save_bank(tmp_path / "birds.npz"), out, n_shots=5)
    assert (plan.name, plan.split) == ("birds.npz", "test")
    assert (plan.n_tasks, plan.seed, plan.n_jobs) == (7, 3, 2)
    assert plan.unfinished is not None
    assert plan.unfinished.parent == out
    assert out.is_dir()


def test_nothing_is_made_where_something_is_wrong(tmp_path: Path) -> None:
    bank = save_bank(tmp_path / "birds.npz")
    for features, n_shots in ((tmp_path / "no.npz", 1), (bank, 9)):
        with pytest.raises((OSError, ValueError)):
            make_plan(features, tmp_path / "out", n_shots=n_shots)
    assert not (tmp_path / "out").exists()


def test_without_matplotlib_it_says_so_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ModuleNotFoundError, match=r"diffresnet\[figures\]"):
        make_plan(save_bank(tmp_path / "birds.npz"), tmp_path / "out", n_shots=1)


def test_the_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = small_plan(unfinished=tmp_path / "unfinished")
    (tmp_path / "unfinished").mkdir()
    (tmp_path / "unfinished" / "x.jsonl").touch()
    summary = Table(["method", "accuracy"], [["Diffusion", "77.56 ± 1.72"]])
    finish(Report("Ablation", [], {"a.png": b""}, {}, [summary]), plan, tmp_path / "out")
    printed = capsys.readouterr().out
    for text in ("Ablation", "method", "77.56 ± 1.72"):
        assert text in printed
    assert printed.count("wrote ") == 3
    assert not (tmp_path / "unfinished").exists()
    assert (tmp_path / "out" / "index.html").exists()


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


@pytest.mark.parametrize("command", ["n-top", "strength", "steps"])
def test_asks_for_the_figure(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    def report(plan: TaskPlan, name: str, **given: object) -> Report:
        asked.update(given, name=name, tasks=(plan.n_tasks, plan.n_jobs))
        return Report("title", [], {}, {})

    monkeypatch.setattr("diffresnet.cli.reproduce.fewshot.report_sweep", report)
    words = ["--features", str(save_bank(tmp_path / "birds.npz")), "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(app, ["reproduce", command, *words, "--shots", "5"])
    assert result.exit_code == 0, result.output
    assert asked == {"name": command, "n_shots": 5, "solver": "kernel", "tasks": (1000, 2)}


def test_time_counts_descent_tasks_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    def report(plan: TaskPlan, **given: object) -> Report:
        asked.update(given, tasks=(plan.n_tasks, plan.n_jobs))
        return Report("title", [], {}, {})

    monkeypatch.setattr("diffresnet.cli.reproduce.fewshot.report_time", report)
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
def test_wrong_input_of_a_figure_gets_a_sentence(
    command: str, options: list[str], message: str, tmp_path: Path
) -> None:
    bank = save_bank(tmp_path / "birds.npz")
    words = ["--features", str(bank), "--out", str(tmp_path / "out"), *options]
    result = CliRunner().invoke(app, ["reproduce", command, *words])
    assert result.exit_code == 2
    assert message in " ".join(result.output.replace("│", " ").split())
    assert "Traceback" not in result.output
