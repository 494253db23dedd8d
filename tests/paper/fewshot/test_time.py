import json

import numpy as np
import pytest

from diffresnet.fewshot import Evaluation, Recipe
from diffresnet.fewshot.methods import NearestPrototype
from diffresnet.paper.fewshot.time import TimeStudy, report_time, run_time_study, time_network
from diffresnet.paper.settings import TIME_STEPS
from tests.paper.examples import small_plan


@pytest.mark.parametrize(("n_steps", "step_size"), [(1, 1.0), (2, 1.0), (10, 0.2)])
def test_strength_is_two_but_no_step_is_above_one(n_steps: int, step_size: float) -> None:
    network = time_network(1, "reordered", n_steps)
    assert (network.n_steps, network.solver) == (n_steps, "reordered")
    assert network.step_size == pytest.approx(step_size)


def test_descent_reaches_what_reordered_reaches_on_its_tasks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("diffresnet.paper.fewshot.time.TIME_STEPS", (0, 2))
    study = run_time_study(small_plan(2), 1, 1)
    assert {solver: tuple(found) for solver, found in study.evaluations.items()} == dict.fromkeys(
        ("kernel", "reordered", "descent"), (0, 2)
    )
    for n_steps, descent in study.evaluations["descent"].items():
        reordered = study.evaluations["reordered"][n_steps]
        assert len(reordered.accuracies) == 2
        np.testing.assert_array_equal(descent.accuracies, reordered.accuracies[:1])
        assert descent.seconds_per_task > study.evaluations["kernel"][n_steps].seconds_per_task


def test_report() -> None:
    pytest.importorskip("matplotlib")
    report = report_time(small_plan(1), n_shots=1, n_descent_tasks=0)
    assert set(report.pictures) == {"time.png", "time.svg"}
    numbers = json.loads(json.dumps(report.numbers))
    assert numbers["command"].endswith("--shots 1 --descent-tasks 0 --jobs 1")
    assert {row["solver"] for row in numbers["results"]} == {"kernel", "reordered"}
    assert [row["n_steps"] for row in numbers["results"]] == [*TIME_STEPS] * 2
    assert all(row["seconds_per_task"] > 0 for row in numbers["results"])
    heads = [
        "steps",
        "kernel: ms per task",
        "accuracy (%)",
        "reordered: ms per task",
        "accuracy (%)",
    ]
    assert list(report.summaries[0].heads) == heads
    assert len(report.summaries[0].rows) == len(TIME_STEPS)


def test_words_about_a_study() -> None:
    def found(seconds: float, *accuracies: float) -> Evaluation:
        recipe = Recipe("fake", NearestPrototype())
        return Evaluation(recipe, np.array(accuracies), seconds, "tasks")

    slow = {0: found(1.0, 0.4), 2: found(1.5, 0.6)}
    quick = {0: found(0.1, 0.4, 0.9), 2: found(0.2, 0.5, 0.8)}
    study = TimeStudy({"kernel": quick, "reordered": quick, "descent": slow})
    assert study.growth(2) == "2.00 (kernel), 2.00 (reordered), 1.50 (descent)"
    assert study.agreement() == (
        " Descent was timed on the first 1 task only, where it reaches 50.00 % on average, and "
        "reordered 45.00 %."
    )
    table = study.table()
    assert list(table.heads)[-1] == "descent: ms per task"
    assert table.rows[1][-1] == "1500.00"
    assert TimeStudy({"kernel": quick, "reordered": quick}).agreement() == ""
