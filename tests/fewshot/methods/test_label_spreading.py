from functools import partial

import numpy as np
import pytest

from diffresnet.fewshot.methods import LabelSpreading, TaskGraph
from tests import reference
from tests.fewshot.examples import Floats, assert_contract, assert_equals_loops, random_episodes


def by_loops(method: LabelSpreading, support: Floats, labels: list[int], query: Floats) -> Floats:
    """Repeat F <- alpha S F + (1 - alpha) Y, until nothing changes."""
    points = np.concatenate([support, query]).tolist()
    n_points, graph = len(points), method.graph
    n_top, rank = min(graph.n_top, n_points), min(graph.bandwidth_rank, n_points)
    sigmas = [row[-1][0] for row in reference.nearest_neighbors(points, rank)]
    kernel = reference.sparsify(reference.gaussian_weights(points, sigmas), n_top)
    weights = np.array(reference.normalize_symmetric(kernel))
    np.fill_diagonal(weights, 0)
    sums = weights.sum(axis=1)
    links = weights / np.sqrt(np.outer(sums, sums))
    targets = np.zeros((n_points, max(labels) + 1))
    for i, label in enumerate(labels):
        targets[i, label] = 1
    found = targets.copy()
    for _ in range(2000):
        found = method.alpha * links @ found + (1 - method.alpha) * targets
    return found[len(labels) :]


@pytest.mark.parametrize(
    "method",
    [LabelSpreading(), LabelSpreading(0.3), LabelSpreading(0.9, TaskGraph(3, 2))],
)
@pytest.mark.parametrize("shots", [(2, 1, 3), (1,)])
def test_equals_loops(method: LabelSpreading, shots: tuple[int, ...]) -> None:
    assert_equals_loops(method, partial(by_loops, method), random_episodes(3, shots))


def test_contract() -> None:
    assert_contract(LabelSpreading())


def test_an_alpha_of_0_spreads_nothing() -> None:
    assert not LabelSpreading(0.0)(random_episodes()).any()


def test_isolated_points_get_nothing() -> None:
    scores = LabelSpreading(graph=TaskGraph(n_top=1))(random_episodes())
    assert not scores.any()


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="must be") as error:
        LabelSpreading(1.0)
    assert str(error.value) == ("LabelSpreading: `alpha` must be below 1, got 1. Lower `alpha`.")
