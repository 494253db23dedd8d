from collections.abc import Callable
from typing import Any

import pytest
import torch
from numpy.typing import NDArray

from diffresnet.learning.reordered import solve_reordered
from diffresnet.learning.task_descent import solve_by_descent
from diffresnet.learning.tasks import Schedule
from tests.learning.examples import KINDS, digits_task, random_start, random_tasks
from tests.learning.test_task_descent import VARIANTS

SCHEDULES = {
    "the paper's": Schedule(n_epochs=30),
    "no epoch": Schedule(n_epochs=0),
    "one epoch": Schedule(n_epochs=1),
    "no momentum": Schedule(n_epochs=15, momentum=0.0),
    "no decay": Schedule(n_epochs=15, weight_decay=0.0),
    "much decay": Schedule(n_epochs=15, weight_decay=0.3, milestones=(0.1, 0.4, 0.4)),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shots", [1, 5])
@pytest.mark.parametrize("task", [0, 1, 2])
def test_equals_the_program_on_digits(
    task: int, shots: int, kind: str, reference_numbers: Callable[[str], dict[str, NDArray[Any]]]
) -> None:
    digits = reference_numbers("fewshot_digits.npz")
    tasks, initial, expected = digits_task(digits, task, shots, kind)
    (found,) = solve_reordered(tasks, Schedule(), initial)
    assert (found.mT - expected).abs().max() < 1e-3 * expected.abs().max()


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("variant", VARIANTS)
def test_equals_descent(variant: str, schedule: str) -> None:
    tasks = VARIANTS[variant]()
    initial = random_start(tasks)
    found = solve_reordered(tasks, SCHEDULES[schedule], initial)
    expected = solve_by_descent(tasks, SCHEDULES[schedule], initial)
    torch.testing.assert_close(found, expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("n_features", [1, 15, 16, 17, 40])
def test_equals_descent_at_every_width(n_features: int) -> None:
    tasks = random_tasks(2, (2, 1), 6, n_features, n_steps=2, prototype_weight=0.3)
    initial, schedule = random_start(tasks), Schedule(n_epochs=10)
    expected = solve_by_descent(tasks, schedule, initial)
    found = solve_reordered(tasks, schedule, initial)
    torch.testing.assert_close(found, expected, rtol=1e-8, atol=1e-8)


def test_equals_descent_in_single_precision() -> None:
    tasks = random_tasks(2, (2, 1, 1), 20, 30, n_steps=3, dtype=torch.float32)
    initial = random_start(tasks)
    found = solve_reordered(tasks, Schedule(), initial)
    assert found.dtype == torch.float32
    expected = solve_by_descent(tasks, Schedule(), initial)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)


def test_a_task_does_not_depend_on_the_others() -> None:
    tasks, schedule = random_tasks(3, n_steps=2), Schedule(n_epochs=5)
    initial = random_start(tasks)
    together = solve_reordered(tasks, schedule, initial)
    alone = solve_reordered(tasks[2:3], schedule, lambda _: initial(2))
    torch.testing.assert_close(alone[0], together[2], rtol=1e-12, atol=1e-13)
    assert not torch.allclose(together[0], together[2])


def test_start_and_points_are_not_changed() -> None:
    tasks = random_tasks(n_steps=1)
    start = random_start(tasks)(0)
    before = [tensor.clone() for tensor in (*start, tasks.points)]
    solve_reordered(tasks, Schedule(n_epochs=3), lambda _: start)
    for tensor, kept in zip((*start, tasks.points), before, strict=True):
        assert torch.equal(tensor, kept)


SHAPES = {  # labeled points a class, unlabeled points, diffusion steps, prototype_weight
    "5 ways, 1 shot": ((1,) * 5, 75, 6, 0.0),
    "5 ways, 5 shots": ((5,) * 5, 75, 3, 0.5),
    "20 ways, 1 shot": ((1,) * 20, 100, 6, 0.0),
    "20 ways, 5 shots": ((5,) * 20, 100, 3, 0.05),
    "5 ways, unequal shots": ((1, 2, 3, 4, 5), 75, 3, 0.05),
}
TASKS_BY_WIDTH = {64: 100, 256: 60, 640: 32, 1280: 8}


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_same_labels_as_descent_on_many_tasks(shape: str) -> None:
    shots, n_unlabeled, n_steps, prototype_weight = SHAPES[shape]
    n_different, n_labels = 0, 0
    for width, seed in (
        (w, seed) for w, n_tasks in TASKS_BY_WIDTH.items() for seed in range(n_tasks)
    ):
        tasks = random_tasks(
            1,
            shots,
            n_unlabeled,
            width,
            seed=seed,
            noise=0.65 * width**0.25,  # so that classes overlap, whatever the width
            dtype=torch.float32,
            n_steps=n_steps,
            prototype_weight=prototype_weight,
        )
        initial = random_start(tasks, seed)
        found = solve_reordered(tasks, Schedule(), initial)[0]
        expected = solve_by_descent(tasks, Schedule(), initial)[0]
        n_labels += found.shape[1]
        different = found.argmax(dim=0) != expected.argmax(dim=0)
        if different.any():
            # Ties, up to what the two kinds of rounding have become after 100 epochs.
            best = expected.topk(2, dim=0).values
            gaps = ((best[0] - best[1]) / expected.abs().max())[different]
            n_different += len(gaps)
            print(f"{shape}, width {width}, task {seed}: gaps {gaps.tolist()}")  # noqa: T201
            assert gaps.max() < 1e-3
    print(f"{shape}: {n_different} of {n_labels} labels differ")  # noqa: T201
    assert n_different <= n_labels / 10_000
