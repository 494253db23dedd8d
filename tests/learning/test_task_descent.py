from collections.abc import Callable
from typing import Any

import pytest
import torch
from numpy.typing import NDArray

from diffresnet.learning import task_descent
from diffresnet.learning.task_descent import solve_by_descent
from diffresnet.learning.tasks import Schedule, Tasks
from tests.learning.examples import (
    KINDS,
    digits_task,
    random_start,
    random_tasks,
    train_by_hand,
)

VARIANTS: dict[str, Callable[[], Tasks]] = {
    "convection": lambda: random_tasks(seed=1),
    "diffusion": lambda: random_tasks(seed=2, n_steps=3),
    "prototypes": lambda: random_tasks(seed=3, n_steps=2, prototype_weight=0.5),
    "penalty": lambda: random_tasks(seed=4, output_laplacian_weight=0.05),
    "all": lambda: random_tasks(
        seed=5, n_steps=2, prototype_weight=0.2, output_laplacian_weight=0.05
    ),
    "proportions": lambda: random_tasks(
        seed=9, n_steps=2, prototype_weight=0.2, proportion_weight=0.1
    ),
    "unequal shots": lambda: random_tasks(2, (1, 4, 2), seed=6, n_steps=2),
    "one class": lambda: random_tasks(2, (2,), seed=7, n_steps=2, prototype_weight=0.5),
    "nothing unlabeled": lambda: random_tasks(2, (2, 2), 0, seed=8, n_steps=1),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shots", [1, 5])
@pytest.mark.parametrize("task", [0, 1, 2])
def test_equals_the_program_on_digits(
    task: int, shots: int, kind: str, reference_numbers: Callable[[str], dict[str, NDArray[Any]]]
) -> None:
    digits = reference_numbers("fewshot_digits.npz")
    tasks, initial, expected = digits_task(digits, task, shots, kind)
    (found,) = solve_by_descent(tasks, Schedule(), initial)
    assert (found.mT - expected).abs().max() < 1e-3 * expected.abs().max()


@pytest.mark.parametrize("variant", VARIANTS)
def test_equals_training_by_hand(variant: str) -> None:
    tasks, schedule = VARIANTS[variant](), Schedule(n_epochs=12)
    initial = random_start(tasks)
    found = solve_by_descent(tasks, schedule, initial)
    assert found.shape == (2, tasks.n_classes, tasks.points.shape[1])
    for which, logits in enumerate(found):
        expected = train_by_hand(tasks, which, schedule, initial(which))
        torch.testing.assert_close(logits, expected, rtol=1e-9, atol=1e-10)


def test_trains_where_gradients_are_off_and_leaves_no_trace() -> None:
    tasks, schedule = random_tasks(n_steps=1), Schedule(n_epochs=4)
    start = random_start(tasks)(0)
    before = [tensor.clone() for tensor in start]
    expected = solve_by_descent(tasks, schedule, lambda _: start)
    state = torch.get_rng_state()
    with torch.no_grad():
        found = solve_by_descent(tasks, schedule, lambda _: start)
    assert torch.equal(found, expected)
    assert not found.requires_grad
    assert torch.equal(torch.get_rng_state(), state)
    for tensor, kept in zip(start, before, strict=True):
        assert torch.equal(tensor, kept)


def test_ctrl_c_is_not_taken_for_the_end_of_training(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(task_descent.CrossEntropy, "__call__", interrupt)
    tasks = random_tasks()
    with pytest.raises(KeyboardInterrupt):
        solve_by_descent(tasks, Schedule(n_epochs=3), random_start(tasks))
