import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits

from diffresnet._support.threads import limited_threads
from diffresnet.estimators import DiffResNetClassifier, UnreachedWarning
from diffresnet.estimators.solvers.mixture import MixtureSolver
from diffresnet.estimators.solvers.solved_mixture import SolvedMixture
from diffresnet.learning.labels import Labels
from diffresnet.learning.strength import Strength
from tests.estimators.examples import clusters, fitted


def test_learns_from_the_part_that_is_right() -> None:
    given, codes = clusters()
    classes = torch.from_numpy(codes)
    shuffled = fitted(given[torch.randperm(120, generator=torch.Generator().manual_seed(0))])
    points = fitted(given)
    rows = torch.cat([40 * one + torch.arange(12) for one in range(3)])
    labels = Labels(rows, classes[rows], 3)
    # The graph is that of other points: only the features can be right.
    torn = replace(points, operator=shuffled.operator, spectrum=shuffled.spectrum)
    generator = torch.Generator().manual_seed(0)
    solved = MixtureSolver().solve(torn, labels, Strength(0.5, 8), generator)
    in_graph = [
        influence
        for part, influence in zip(solved.parts, solved.influences, strict=True)
        if part.name in ("prototypes in the graph", "labels spread over the graph")
    ]
    assert sum(in_graph) < 0.3
    right = solved.score(torn.places).argmax(dim=1) == classes
    assert float(right.double().mean()) > 0.95
    assert "features" in solved.remarks[0]


def test_a_graph_alone() -> None:
    given, codes = clusters()
    classes = torch.from_numpy(codes)
    alone = replace(fitted(given), space=None, points=None, lengths=None)
    for n_each in (1, 5):
        rows = torch.cat([40 * one + torch.arange(n_each) for one in range(3)])
        generator = torch.Generator().manual_seed(0)
        labels = Labels(rows, classes[rows], 3)
        solved = MixtureSolver().solve(alone, labels, Strength(0.5, 8), generator)
        assert len(solved.parts) == 2
        assert bool((solved.score(alone.places).argmax(dim=1) == classes).all())


def test_one_label_per_class_counts_prototypes_and_propagation_alike() -> None:
    given, codes = clusters()
    points, rows = fitted(given), torch.tensor([0, 40, 80])
    labels = Labels(rows, torch.from_numpy(codes)[rows], 3)
    generator = torch.Generator().manual_seed(0)
    solved = MixtureSolver().solve(points, labels, Strength(0.5, 8), generator)
    free = torch.ones(120, dtype=torch.bool)
    free[rows] = False
    scores = torch.stack([part.score(points.places).double() for part in solved.parts])[:, free]
    weights = torch.tensor(solved.weights).double()
    by_prototypes = torch.tensordot(weights[:2], scores[:2], 1)
    spread = weights[2] * scores[2]
    assert torch.isclose(by_prototypes.std(dim=1).mean(), spread.std(dim=1).mean(), rtol=1e-4)
    assert solved.weights[3:] == (0, 0)


@pytest.mark.parametrize(("n_labels", "least", "most"), [(3, 0.3, np.inf), (1, 0, 0)])
def test_adapts_to_how_common_the_classes_are(n_labels: int, least: float, most: float) -> None:
    given, codes = clusters(2)
    rare = np.r_[np.arange(40), 40 + np.arange(10)]
    points, classes = fitted(given[rare]), torch.from_numpy(codes[rare])
    rows = torch.cat([torch.arange(n_labels), 40 + torch.arange(n_labels)])
    labels = Labels(rows, classes[rows], 2)
    generator = torch.Generator().manual_seed(0)
    solved = MixtureSolver("per class").solve(points, labels, Strength(0.5, 8), generator)
    assert least <= float(solved.biases[0] - solved.biases[1]) <= most


def solve_digits(labels: Labels, before: SolvedMixture | None = None) -> SolvedMixture:
    generator = torch.Generator().manual_seed(0)
    with limited_threads(1):
        return MixtureSolver(before=before).solve(POINTS, labels, Strength(0.5, 20), generator)


def digits_with(rows: torch.Tensor) -> Labels:
    return Labels(rows, torch.from_numpy(DIGITS.target)[rows].long(), 10)


DIGITS: Any = load_digits()
POINTS = fitted(DIGITS.data)
FIRST_LABELS = digits_with(torch.arange(100))
FIRST = solve_digits(FIRST_LABELS)


def test_choices_stay_while_few_labels_change() -> None:
    assert FIRST.basis is not None
    few = solve_digits(digits_with(torch.arange(2, 105)), FIRST)
    again = solve_digits(digits_with(torch.arange(2, 107)), few)
    assert few.basis is again.basis is FIRST.basis
    anew = solve_digits(digits_with(torch.arange(2, 105)))
    shown = [one.score(POINTS.places).softmax(dim=1) for one in (few, anew)]
    assert float((shown[0] - shown[1]).abs().mean()) < 0.01
    assert float((shown[0].argmax(dim=1) == shown[1].argmax(dim=1)).double().mean()) > 0.98


@pytest.mark.parametrize(
    "labels",
    [
        pytest.param(digits_with(torch.arange(111)), id="many changed"),
        pytest.param(
            replace(FIRST_LABELS, classes=9 - FIRST_LABELS.classes),
            id="corrected",
        ),
        pytest.param(
            Labels(torch.arange(101), torch.cat([FIRST_LABELS.classes, torch.tensor([10])]), 11),
            id="a class more",
        ),
    ],
)
def test_all_is_chosen_anew(labels: Labels) -> None:
    found = solve_digits(labels, FIRST)
    assert found.basis is not None
    assert found.basis is not FIRST.basis
    assert torch.equal(found.score(POINTS.places), solve_digits(labels).score(POINTS.places))


def test_few_labels_always_choose_anew() -> None:
    start = solve_digits(digits_with(torch.arange(49)))
    found = solve_digits(digits_with(torch.arange(50)), start)
    assert found.basis is not start.basis


def test_new_labels_are_held_out_of_what_was_learned_before() -> None:
    found = solve_digits(digits_with(torch.arange(104)), FIRST)
    for then, now in zip(FIRST.parts[:2], found.parts[:2], strict=True):
        assert torch.equal(now.held_out[:100], then.held_out)
        expected = then.score(POINTS.some_places(torch.arange(100, 104)))
        assert torch.allclose(now.held_out[100:], expected.double(), atol=1e-4)


def planted(n_apart: int) -> tuple[Any, Any]:
    """Return a graph of three groups of a hundred nodes, pairs of nodes apart, and classes."""
    generator = np.random.default_rng(0)
    classes = np.arange(300) % 3
    graph = np.zeros((300 + 2 * n_apart, 300 + 2 * n_apart))
    likely = np.where(classes[:, None] == classes, 0.08, 0.004)
    graph[:300, :300] = np.triu(generator.random((300, 300)) < likely, 1)
    for one in range(300, 300 + 2 * n_apart, 2):
        graph[one, one + 1] = 1
    return graph + graph.T, classes


def confidence_and_accuracy(graph: Any, classes: Any, features: Any, n_each: int) -> list[float]:
    """Return both, of the nodes of the groups that have no label."""
    labels = np.full(len(graph), -1)
    labels[: 3 * n_each] = classes[: 3 * n_each]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreachedWarning)
        model = DiffResNetClassifier().fit(features, labels, graph=graph)
    found = model.label_distributions_[3 * n_each : 300]
    return [found.max(axis=1).mean(), (found.argmax(axis=1) == classes[3 * n_each :]).mean()]


@pytest.mark.parametrize("n_each", [1, 5])
def test_nodes_that_no_label_reaches_do_not_change_how_sure_others_are(n_each: int) -> None:
    sure, right = confidence_and_accuracy(*planted(0), None, n_each)
    beside, still_right = confidence_and_accuracy(*planted(150), None, n_each)
    assert min(right, still_right) > 0.95
    assert abs(sure - beside) < 0.05


def test_features_that_say_nothing_cost_little_confidence() -> None:
    graph, classes = planted(0)
    noise = np.random.default_rng(1).normal(size=(300, 20))
    sure, right = confidence_and_accuracy(graph, classes, noise, 5)
    assert right > 0.95
    assert sure > 0.85
