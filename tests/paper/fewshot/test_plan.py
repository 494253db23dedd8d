from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from diffresnet.fewshot import EpisodeShape, Recipe, evaluate
from diffresnet.fewshot.methods import NearestPrototype
from diffresnet.paper.fewshot.plan import shots_option, task_shape
from tests.paper.examples import small_plan

RECIPE = Recipe("nearest", NearestPrototype())


def test_words() -> None:
    assert shots_option((1, 5)) == []
    assert shots_option((3,)) == ["--shots", "3"]


def test_tasks_are_those_of_the_paper() -> None:
    assert task_shape(5) == EpisodeShape(n_ways=5, n_shots=5, n_queries=15)
    assert task_shape(1, 2.0).dirichlet == 2.0


def test_evaluates_its_own_tasks() -> None:
    plan, shape = replace(small_plan(4), seed=7), task_shape(1)
    found = plan.evaluate(RECIPE, shape)
    expected = evaluate(plan.bank, RECIPE, shape=shape, split="test", n_tasks=4, seed=7)
    np.testing.assert_array_equal(found.accuracies, expected.accuracies)
    assert found.tasks == expected.tasks


@pytest.mark.parametrize("change", [{"seed": 2}, {"split": None}])
def test_another_plan_does_not_go_on_from_these_results(
    change: dict[str, int], tmp_path: Path
) -> None:
    plan = small_plan(4, unfinished=tmp_path / "kept")
    first = plan.evaluate(RECIPE, task_shape(1))
    again = plan.evaluate(RECIPE, task_shape(1))
    assert again.seconds_per_task == first.seconds_per_task  # read, not computed
    other = replace(plan, **change)
    other.evaluate(RECIPE, task_shape(1))
    plan.evaluate(RECIPE, task_shape(5))
    plan.evaluate(replace(RECIPE, transforms=("l2",)), task_shape(1))
    assert len(list((tmp_path / "kept").iterdir())) == 4


def test_forgets(tmp_path: Path) -> None:
    plan = small_plan(2, unfinished=tmp_path / "kept")
    plan.forget()
    plan.evaluate(RECIPE, task_shape(1))
    plan.forget()
    assert not (tmp_path / "kept").exists()
    small_plan().forget()


def test_command_and_description() -> None:
    plan = small_plan(1200)
    assert plan.command("steps", "--shots", "1") == (
        "diffresnet reproduce steps --features birds.npz --split test --tasks 1200 --seed 1 "
        "--shots 1"
    )
    assert "--split all" in replace(plan, split=None).command("steps")
    assert plan.describe() == (
        "1,200 tasks of 5 classes and 15 queries per class, drawn from the split 'test' of "
        "birds.npz (6 classes, 132 examples, 8 features) with seed 1."
    )
    assert "drawn from all of birds.npz (9 classes" in replace(plan, split=None).describe()
