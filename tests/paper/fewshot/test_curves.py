import json

import pytest

from diffresnet.paper.fewshot.curves import SWEEPS, report_sweep, run_sweep
from diffresnet.report.page import make_page
from tests.paper.examples import small_plan


def test_values_are_evaluated_on_the_same_tasks() -> None:
    result = run_sweep(small_plan(), "strength", 1, "kernel")
    assert list(result.evaluations) == [0.5 * n_steps for n_steps in range(21)]
    assert len({evaluation.tasks for evaluation in result.evaluations.values()}) == 1
    best = max(evaluation.accuracy for evaluation in result.evaluations.values())
    assert result.evaluations[result.best].accuracy == best
    accuracies = {evaluation.accuracy for evaluation in result.evaluations.values()}
    assert len(accuracies) > 1  # diffusion changes something


@pytest.mark.parametrize("name", SWEEPS)
def test_report(name: str) -> None:
    pytest.importorskip("matplotlib")
    report = report_sweep(small_plan(2), name, n_shots=1, solver="kernel")
    assert set(report.pictures) == {f"{name}.png", f"{name}.svg"}
    numbers = json.loads(json.dumps(report.numbers))
    assert numbers["command"].startswith(f"diffresnet reproduce {name} --features birds.npz")
    values = [row["value"] for row in numbers["results"]]
    assert values == sorted(values)
    chosen = next(row for row in numbers["results"] if (row["n_top"], row["n_steps"]) == (7, 10))
    assert (chosen["bandwidth_rank"], chosen["step_size"]) == (4, 0.5)
    page = make_page(report.title, report.parts).decode()
    assert SWEEPS[name].setting in page
    assert f"{100 * chosen['accuracy']:.2f} ± {100 * chosen['ci95']:.2f}" in page
