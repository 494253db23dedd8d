import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

from diffresnet.fewshot import (
    Episodes,
    EpisodeSampler,
    EpisodeShape,
    Evaluation,
    FeatureBank,
    Recipe,
    classify,
    evaluate,
    evaluation,
    make_recipe,
    paired_difference,
)
from diffresnet.fewshot.methods import DiffResNetMethod, NearestPrototype, PtMap, Solver
from diffresnet.learning.tasks import Schedule
from diffresnet.measuring.statistics import half_interval
from tests.fewshot.examples import random_bank

SHAPE = EpisodeShape(3, 2, 4)
N_NUMBERS = SHAPE.n_points * 6
"""Of the features of one task of a random bank."""


def accuracies_of(
    recipe: Recipe | str = "simpleshot",
    bank: FeatureBank | None = None,
    *,
    shape: EpisodeShape = SHAPE,
    n_tasks: int = 20,
    seed: int = 1,
    n_jobs: int = 1,
    resume: Path | None = None,
) -> NDArray[np.float64]:
    return evaluate(
        random_bank() if bank is None else bank,
        make_recipe(recipe, shape) if isinstance(recipe, str) else recipe,
        shape=shape,
        n_tasks=n_tasks,
        seed=seed,
        n_jobs=n_jobs,
        resume=resume,
    ).accuracies


def made_up(accuracies: list[float], tasks: str = "the same") -> Evaluation:
    return Evaluation(make_recipe("tim", SHAPE), np.array(accuracies), 0.25, tasks)


@dataclass(frozen=True)
class Fragile:
    """Nearest prototype, which counts the tasks it is given, and may be interrupted."""

    seen: ClassVar[list[int]] = []
    error_at: ClassVar[list[tuple[int, type[BaseException]]]] = []

    def __call__(self, episodes: Episodes) -> Tensor:
        if self.error_at and len(self.seen) == self.error_at[0][0]:
            raise self.error_at.pop()[1]
        self.seen.append(len(episodes.support))
        return NearestPrototype()(episodes)


FRAGILE = Recipe("fragile", Fragile(), ("center", "l2"))


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    yield
    Fragile.seen.clear()
    Fragile.error_at.clear()


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "BATCH_SIZE", 4 * N_NUMBERS)


@pytest.mark.parametrize("name", ["simpleshot", "diffresnet", "laplacianshot"])
def test_equals_one_task_after_the_other(name: str) -> None:
    bank = random_bank((20,) * 12).with_class_split(4, 2)
    recipe = make_recipe(name, SHAPE)
    found = evaluate(bank, recipe, shape=SHAPE, split="test", n_tasks=15, seed=4)
    sampler = EpisodeSampler(bank, SHAPE, split="test", seed=4)
    for task, accuracy in enumerate(found.accuracies):
        drawn = sampler.draw([task])
        episodes = Episodes.fill(drawn, bank.features, bank.base_mean())
        labels = classify(episodes, recipe)[0].argmax(dim=1)
        right = sum(int(x == y) for x, y in zip(labels, drawn.query_labels[0], strict=True))
        assert accuracy == right / 12
    assert found.accuracy == pytest.approx(sum(found.accuracies) / 15)
    assert 0.4 < found.accuracy < 1
    assert found.recipe is recipe
    assert found.seconds_per_task > 0


def test_the_default_shape_is_5_ways_1_shot() -> None:
    bank = random_bank((20,) * 5)
    recipe = make_recipe("simpleshot", SHAPE)
    found = evaluate(bank, recipe, n_tasks=3)
    assert (
        found.accuracies.tolist()
        == accuracies_of(recipe, bank, shape=EpisodeShape(5, 1, 15), n_tasks=3).tolist()
    )


@pytest.mark.parametrize(
    "name", ["simpleshot", "diffresnet", "pt-map", "soft-kmeans", "ease", "laplacianshot"]
)
def test_batches_do_not_matter(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = make_recipe(name, SHAPE)
    if isinstance(recipe.method, PtMap):
        recipe = replace(recipe, method=PtMap(n_rounds=2))
    expected = accuracies_of(recipe)
    for n_together in (0, 1, 7):
        monkeypatch.setattr(evaluation, "BATCH_SIZE", n_together * N_NUMBERS)
        np.testing.assert_array_equal(accuracies_of(recipe), expected)
    assert len(set(expected)) > 2


@pytest.mark.parametrize("solver", ["reordered", "descent"])
def test_solvers_that_draw(solver: Solver, monkeypatch: pytest.MonkeyPatch) -> None:
    method = DiffResNetMethod(2, solver=solver, schedule=Schedule(n_epochs=10))
    recipe = Recipe("diffresnet", method, ("center", "l2"))
    expected = accuracies_of(recipe, n_tasks=6)
    monkeypatch.setattr(evaluation, "BATCH_SIZE", 2 * N_NUMBERS)
    np.testing.assert_array_equal(accuracies_of(recipe, n_tasks=6), expected)
    assert expected.mean() > 0.4


@pytest.mark.parametrize("solver", ["kernel", "reordered"])
def test_processes_do_not_matter(solver: Solver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "BATCH_SIZE", 2 * N_NUMBERS)
    recipe = make_recipe("diffresnet", SHAPE, solver=solver)
    expected = accuracies_of(recipe, n_tasks=6)
    np.testing.assert_array_equal(accuracies_of(recipe, n_tasks=6, n_jobs=2), expected)


def test_more_tasks_begin_with_the_same() -> None:
    np.testing.assert_array_equal(accuracies_of(n_tasks=30)[:11], accuracies_of(n_tasks=11))
    assert (accuracies_of(seed=1) != accuracies_of(seed=2)).any()


def test_unbalanced_queries_and_unequal_shots() -> None:
    shape = EpisodeShape(3, (1, 4, 2), 5, dirichlet=0.3)
    found = accuracies_of(shape=shape)
    assert ((found >= 0) & (found <= 1)).all()
    assert np.allclose(found * 15, np.round(found * 15))


def test_torch_is_left_as_it_was() -> None:
    threads, state = torch.get_num_threads(), torch.get_rng_state()
    torch.set_num_threads(2)
    try:
        accuracies_of("diffresnet")
        assert torch.get_num_threads() == 2
        Fragile.error_at.append((0, RuntimeError))
        with pytest.raises(RuntimeError):
            accuracies_of(FRAGILE)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(threads)
    assert torch.equal(torch.get_rng_state(), state)


def test_summary() -> None:
    found = made_up([0.5, 0.75, 1.0, 0.75])
    assert found.accuracy == 0.75
    assert found.ci95 == pytest.approx(half_interval(found.accuracies))
    content = found.to_json()
    assert json.loads(json.dumps(content)) == content
    assert content.keys() == {
        "method",
        "solver",
        "transforms",
        "settings",
        "accuracy",
        "ci95",
        "seconds_per_task",
        "tasks",
    }
    assert content["method"] == "tim"
    assert content["solver"] is None
    assert content["transforms"] == ["l2"]
    assert content["settings"].startswith("Tim(order=None, support_weight=0.1")
    assert content["accuracy"] == 0.75
    assert content["ci95"] == found.ci95
    assert content["seconds_per_task"] == 0.25
    assert content["tasks"] == 4
    recipe = make_recipe("external", SHAPE, solver="reordered")
    content = Evaluation(recipe, np.ones(2), 0.1, "").to_json()
    assert content["solver"] == "reordered"
    content = Evaluation(make_recipe("ease", SHAPE), np.ones(2), 0.1, "").to_json()
    assert content["transforms"] == ["power", "l2", "ease", "l2"]


def test_paired_difference() -> None:
    first, second = made_up([0.5, 0.7, 0.9]), made_up([0.4, 0.7, 0.6])
    found = paired_difference(first, second)
    assert found.difference == pytest.approx(0.4 / 3)
    assert found.ci95 == pytest.approx(half_interval(np.array([0.1, 0.0, 0.3])))
    itself = paired_difference(first, first)
    assert (itself.difference, itself.ci95) == (0, 0)
    bank = random_bank()

    def evaluation_of(name: str) -> Evaluation:
        return evaluate(bank, make_recipe(name, SHAPE), shape=SHAPE, n_tasks=10)

    one, other = evaluation_of("simpleshot"), evaluation_of("nearest-prototype")
    expected = one.accuracy - other.accuracy
    assert paired_difference(one, other).difference == pytest.approx(expected)


def test_paired_difference_needs_the_same_tasks() -> None:
    bank = random_bank()
    divided = bank.with_class_split(2, 0)
    recipe = make_recipe("nearest-prototype", SHAPE)
    other_features = replace(bank, features=bank.features + 1e-3)
    given: list[tuple[FeatureBank, dict[str, Any]]] = [
        (bank, {}),
        (bank, {"seed": 2}),
        (bank, {"n_tasks": 5}),
        (bank, {"shape": replace(SHAPE, n_queries=5)}),
        (bank, {"shape": replace(SHAPE, dirichlet=2.0)}),
        (divided, {"split": "test"}),
        (other_features, {}),
    ]
    settings: dict[str, Any] = {"shape": SHAPE, "n_tasks": 4}
    found = [evaluate(some, recipe, **(settings | changes)) for some, changes in given]
    for other in found[1:]:
        with pytest.raises(ValueError, match="must be") as error:
            paired_difference(found[0], other)
        assert str(error.value) == (
            "paired_difference: `second` must be on the same tasks as `first`, got other tasks. "
            "Evaluate both with the same bank, shape, split, seed and number of tasks."
        )


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_interrupted_evaluation_goes_on(tmp_path: Path, error: type[BaseException]) -> None:
    file = tmp_path / "folder" / "results.jsonl"
    expected = accuracies_of(FRAGILE, n_tasks=18)
    assert Fragile.seen == [4, 4, 4, 4, 2]
    Fragile.seen.clear()
    Fragile.error_at.append((2, error))
    with pytest.raises(error):
        accuracies_of(FRAGILE, n_tasks=18, resume=file)
    saved = [json.loads(line) for line in file.read_text().splitlines()[1:]]
    assert [one["tasks"] for one in saved] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert [*saved[0]["accuracies"], *saved[1]["accuracies"]] == expected[:8].tolist()
    resumed = accuracies_of(FRAGILE, n_tasks=18, resume=file)
    np.testing.assert_array_equal(resumed, expected)
    assert Fragile.seen == [4, 4, 4, 4, 2]  # nothing twice
    again = accuracies_of(FRAGILE, n_tasks=18, resume=file)
    np.testing.assert_array_equal(again, expected)
    assert len(Fragile.seen) == 5
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.usefixtures("small_batches")
def test_processes_and_resuming(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    Fragile.error_at.append((1, KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        accuracies_of(FRAGILE, resume=file)
    found = accuracies_of(FRAGILE, resume=file, n_jobs=2)
    np.testing.assert_array_equal(found, accuracies_of(FRAGILE))
    np.testing.assert_array_equal(accuracies_of(FRAGILE, resume=file, n_jobs=2), found)


@pytest.mark.usefixtures("small_batches")
def test_time_is_that_of_all_parts(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    Fragile.error_at.append((3, KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        accuracies_of(FRAGILE, resume=file)
    first, second, *others = file.read_text().splitlines()
    changed = json.dumps(json.loads(second) | {"seconds": 1000.0})
    file.write_text("\n".join([first, changed, *others, ""]))
    found = evaluate(random_bank(), FRAGILE, shape=SHAPE, n_tasks=20, resume=file)
    assert 50 < found.seconds_per_task < 51


@pytest.mark.usefixtures("small_batches")
def test_results_are_saved_as_they_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, n_lines = tmp_path / "results.jsonl", list[int]()

    def spy(self: Fragile, episodes: Episodes) -> Tensor:
        del self
        n_lines.append(len(file.read_text().splitlines()))
        return NearestPrototype()(episodes)

    monkeypatch.setattr(Fragile, "__call__", spy)
    accuracies_of(FRAGILE, n_tasks=18, resume=file)
    assert n_lines == [0, 2, 3, 4, 5]


def test_results_of_other_evaluations_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    bank = random_bank()
    accuracies_of("simpleshot", bank, resume=file)
    before = file.read_bytes()
    moved = replace(bank, features=bank.features + 1e-3)
    others: list[Callable[[], object]] = [
        lambda: accuracies_of("nearest-prototype", bank, resume=file),
        lambda: accuracies_of("bd-cspn", bank, resume=file),
        lambda: accuracies_of("simpleshot", moved, resume=file),
        lambda: accuracies_of("simpleshot", bank, resume=file, seed=2),
        lambda: accuracies_of("simpleshot", bank, resume=file, shape=EpisodeShape(3, 1, 4)),
    ]
    for other in others:
        with pytest.raises(
            ValueError,
            match=r"`resume` must be a file of the same runs, got .*, of another",
        ):
            other()
        assert file.read_bytes() == before


@pytest.mark.usefixtures("small_batches")
def test_more_tasks_and_fewer_take_what_there_is(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    expected = accuracies_of(FRAGILE, n_tasks=20)
    Fragile.seen.clear()
    accuracies_of(FRAGILE, n_tasks=8, resume=file)
    np.testing.assert_array_equal(accuracies_of(FRAGILE, n_tasks=20, resume=file), expected)
    assert Fragile.seen == [4] * 5
    np.testing.assert_array_equal(accuracies_of(FRAGILE, n_tasks=3, resume=file), expected[:3])
    assert len(Fragile.seen) == 5


@pytest.mark.parametrize(
    "change",
    [
        {"accuracies": [7.0] * 20},
        {"accuracies": [float("inf")] * 20},
        {"accuracies": [0.123] * 20},
        {"accuracies": [True] * 20},
        {"accuracies": [0.5]},
        {"accuracies": None},
        {"accuracies": ["a"] * 20},
        {"tasks": [-1] * 20},
        {"tasks": [0.5] * 20},
        {"seconds": None},
        {"seconds": -1.0},
        {"seconds": 1e308},
        {"more": 1},
    ],
)
def test_results_that_are_none(tmp_path: Path, change: dict[str, object]) -> None:
    file = tmp_path / "results.jsonl"
    accuracies_of("simpleshot", resume=file)
    first, batch = file.read_text().splitlines()
    broken = f"{first}\n{json.dumps(json.loads(batch) | change)}\n"
    file.write_text(broken)
    with pytest.raises(ValueError, match=r"results\.jsonl with line 2: "):
        accuracies_of("simpleshot", resume=file)
    assert file.read_text() == broken


def test_a_device_that_torch_does_not_have() -> None:
    with pytest.raises(ValueError, match="must be one that torch has") as error:
        evaluate(random_bank(), make_recipe("tim", SHAPE), shape=SHAPE, device="nowhere")
    message = str(error.value)
    assert message.startswith("evaluate: `device` must be one that torch has, got 'nowhere' (")
    assert message.endswith("). Use 'cpu'.")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: accuracies_of(n_tasks=0),
            "evaluate: `n_tasks` must be at least 1, got 0. Raise `n_tasks`.",
        ),
        (
            lambda: accuracies_of(n_jobs=0),
            "evaluate: `n_jobs` must be at least 1, got 0. Raise `n_jobs`.",
        ),
        (
            lambda: accuracies_of(shape=EpisodeShape(7, 1, 1)),
            "EpisodeSampler: `n_ways` must be between 1 and the number of classes in the bank (6), "
            "got 7. Lower `n_ways`.",
        ),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        call()
    assert str(error.value) == message


def one_score(episodes: Episodes) -> Tensor:
    return episodes.query[..., :1]


def infinite_scores(episodes: Episodes) -> Tensor:
    return episodes.query.new_full((*episodes.query.shape[:2], episodes.n_classes), torch.inf)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (
            one_score,
            r"classify: `scores` must be of shape \(\d+, \d+, \d+\), from 'mine', got shape",
        ),
        (
            infinite_scores,
            r"`scores` must be finite, from 'mine', got NaN or infinity in \d+ of \d+ tasks. The",
        ),
    ],
)
def test_bad_scores_are_no_accuracy(scores: Callable[[Episodes], Tensor], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        evaluate(random_bank(), Recipe("mine", scores), shape=SHAPE, n_tasks=3)


def test_unknown_transforms() -> None:
    with pytest.raises(ValueError, match=r"Recipe: `transforms` must be one of 'center',"):
        Recipe("mine", make_recipe("simpleshot", SHAPE).method, ("centre",))


def test_two_lines_of_one_task_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    accuracies_of(FRAGILE, n_tasks=3, resume=file)
    file.write_text(file.read_text() + file.read_text().splitlines()[1] + "\n")
    with pytest.raises(ValueError, match=r"line \d: \d, which line 2 has, too\. Mend or remove"):
        accuracies_of(FRAGILE, n_tasks=3, resume=file)


def test_features_whose_products_are_infinite() -> None:
    bank = FeatureBank.from_arrays(1e300 * np.eye(9), np.arange(9) % 3)
    shape = EpisodeShape(n_ways=3, n_shots=1, n_queries=2)
    recipe = replace(make_recipe("simpleshot", shape), transforms=("ease",))
    with pytest.raises(
        ValueError, match="`scores` must be finite, from 'simpleshot', got features"
    ):
        evaluate(bank, recipe, shape=shape, n_tasks=1)
