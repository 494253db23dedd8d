import json
from collections.abc import Sequence

import numpy as np
import pytest

from diffresnet.fewshot import TITLES, EpisodeShape, Evaluation, Recipe
from diffresnet.paper.fewshot.plan import TaskPlan
from diffresnet.paper.fewshot.table import SLOW, report_table, run_table, table_shapes
from diffresnet.report.page import make_page
from tests.paper.examples import small_plan


def fake_evaluate(_: TaskPlan, recipe: Recipe, shape: EpisodeShape) -> Evaluation:
    return Evaluation(recipe, np.array([0.5, 0.7]), 0.001, str(shape))


@pytest.mark.parametrize(("skip_slow", "left_out"), [(False, ()), (True, SLOW)])
def test_every_method_in_every_shape(
    skip_slow: bool, left_out: Sequence[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TaskPlan, "evaluate", fake_evaluate)
    results = run_table(small_plan(), (1, 5), "reordered", skip_slow=skip_slow)
    shapes = [(shape.n_shots, shape.dirichlet) for shape in results]
    assert shapes == [(1, None), (5, None), (1, 2.0), (5, 2.0)]
    for shape, evaluations in results.items():
        assert list(evaluations) == [name for name in TITLES if name not in left_out]
        rows = {name: evaluation.to_json() for name, evaluation in evaluations.items()}
        assert {row["solver"] for row in rows.values()} == {None, "reordered"}
        n_steps, rectify = (6, []) if shape.n_shots == 1 else (3, ["rectify"])
        assert f"n_steps={n_steps}, step_size=0.5" in rows["diffresnet"]["settings"]
        assert rows["diffresnet"]["transforms"] == ["center", "l2", "shift", *rectify]


def test_shapes() -> None:
    assert [shape.dirichlet for shape in table_shapes((3,))] == [None, 2.0]


def test_report() -> None:
    pytest.importorskip("matplotlib")
    report = report_table(small_plan(2), shots=(1,), solver="kernel", skip_slow=True)
    assert set(report.pictures) == {"fewshot.png", "fewshot.svg"}
    numbers = json.loads(json.dumps(report.numbers))
    assert numbers["command"].endswith("--shots 1 --solver kernel --skip-slow")
    assert len(numbers["results"]) == 2 * (len(TITLES) - len(SLOW))
    assert len(numbers["published_by_others"]) == 14
    assert len(numbers["published_percent"]) == 32
    heads = [list(summary.heads) for summary in report.summaries]
    assert heads == [
        ["method", "1 shot, balanced", "ms per task"],
        ["method", "1 shot, Dirichlet(2)", "ms per task"],
    ]
    page = make_page(report.title, report.parts).decode()
    for text in (
        "center, l2, shift, rectify",
        "84.20 ± 0.21",
        "PT-MAP + BPA, TIM, iLPC, protoLP",
        "67.40",
        "†",
    ):
        assert text in page
