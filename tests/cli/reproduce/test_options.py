import sys
from pathlib import Path

import pytest

from diffresnet.cli.reproduce.options import finish, plan_tasks
from diffresnet.fewshot import EpisodeShape
from diffresnet.paper.fewshot.plan import TaskPlan, task_shape
from diffresnet.report.files import Report
from diffresnet.report.page import Table
from tests.paper.examples import save_bank, small_plan


def make_plan(features: Path, out: Path, *, shape: EpisodeShape) -> TaskPlan:
    return plan_tasks(features, out, split=None, n_tasks=7, seed=3, n_jobs=2, shapes=[shape])


def test_a_plan(tmp_path: Path) -> None:
    out = tmp_path / "out"
    plan = make_plan(save_bank(tmp_path / "birds.npz"), out, shape=task_shape(5))
    assert (plan.name, plan.split) == ("birds.npz", "test")
    assert (plan.n_tasks, plan.seed, plan.n_jobs) == (7, 3, 2)
    assert plan.unfinished is not None
    assert plan.unfinished.parent == out
    assert out.is_dir()


def test_nothing_is_made_where_something_is_wrong(tmp_path: Path) -> None:
    bank = save_bank(tmp_path / "birds.npz")
    for features, shape in ((tmp_path / "no.npz", task_shape(1)), (bank, task_shape(9))):
        with pytest.raises((OSError, ValueError)):
            make_plan(features, tmp_path / "out", shape=shape)
    assert not (tmp_path / "out").exists()


def test_without_matplotlib_it_says_so_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ModuleNotFoundError, match=r"diffresnet\[figures\]"):
        make_plan(save_bank(tmp_path / "birds.npz"), tmp_path / "out", shape=task_shape(1))


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
