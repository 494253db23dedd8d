from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

from diffresnet._support.types import Normalization
from diffresnet.fewshot.methods import TaskGraph
from tests import reference
from tests.fewshot.examples import random_episodes


def weights_of(points: Tensor, graph: TaskGraph | None = None) -> Tensor:
    graph = TaskGraph() if graph is None else graph
    return graph.weights(points, points @ points.mT)


@pytest.mark.parametrize("shots", [1, 5])
@pytest.mark.parametrize("task", [0, 1, 2])
def test_equals_the_program_on_digits(
    task: int, shots: int, reference_numbers: Callable[[str], dict[str, NDArray[Any]]]
) -> None:
    digits = reference_numbers("fewshot_digits.npz")
    points = torch.from_numpy(digits[f"t{task}_{shots}shot_points"]).unsqueeze(0)
    expected = digits[f"t{task}_{shots}shot_weights"]
    np.testing.assert_allclose(weights_of(points)[0].numpy(), expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize(("n_top", "rank"), [(7, 4), (3, 2), (1, 1), (16, 16)])
def test_equals_loops(n_top: int, rank: int) -> None:
    points = random_episodes().points
    found = weights_of(points, TaskGraph(n_top, rank))
    for task, weights in zip(points, found, strict=True):
        rows = task.tolist()
        sigmas = [row[-1][0] for row in reference.nearest_neighbors(rows, max(rank, 2))]
        kernel = reference.sparsify(reference.gaussian_weights(rows, sigmas), n_top)
        expected = reference.normalize_symmetric(kernel)
        np.testing.assert_allclose(weights.numpy(), np.array(expected), atol=1e-12)


def test_small_tasks_are_linked_wholly() -> None:
    points = random_episodes(2, (1,), 2).points
    found = weights_of(points)
    torch.testing.assert_close(found, weights_of(points, TaskGraph(3, 3)))
    assert (found > 0).all()
    assert weights_of(points[:, :1]).tolist() == [[[1.0]], [[1.0]]]


@pytest.mark.parametrize("normalization", ["row", "sinkhorn"])
def test_normalization(normalization: Normalization) -> None:
    weights = weights_of(random_episodes().points, TaskGraph(normalization=normalization))
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(3, 16, dtype=torch.float64))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: TaskGraph(n_top=0),
            "TaskGraph: `n_top` must be at least 1, got 0. Raise `n_top`.",
        ),
        (
            lambda: TaskGraph(bandwidth_rank=0),
            "TaskGraph: `bandwidth_rank` must be at least 1, got 0. Raise `bandwidth_rank`.",
        ),
        (
            lambda: TaskGraph(normalization="columns"),  # type: ignore[arg-type]
            "TaskGraph: `normalization` must be one of 'row', 'symmetric', 'sinkhorn', "
            "got 'columns'. Choose one of these.",
        ),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        call()
    assert str(error.value) == message
