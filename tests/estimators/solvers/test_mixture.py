from dataclasses import replace

import numpy as np
import torch

from diffresnet.estimators.solvers.mixture import MixtureSettings, MixtureSolver
from diffresnet.estimators.strength import Strength
from diffresnet.learning.labels import Labels
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


def test_adapts_to_how_common_the_classes_are() -> None:
    given, codes = clusters(2)
    rare = np.r_[np.arange(40), 40 + np.arange(10)]
    points, classes = fitted(given[rare]), torch.from_numpy(codes[rare])
    rows = torch.tensor([0, 1, 2, 40, 41, 42])
    shifts: list[float] = []
    for evenness in (0.1, 1e6):
        solver = MixtureSolver("per class", MixtureSettings(evenness=evenness))
        generator = torch.Generator().manual_seed(0)
        labels = Labels(rows, classes[rows], 2)
        biases = solver.solve(points, labels, Strength(0.5, 8), generator).biases
        shifts.append(float(biases[0] - biases[1]))
    assert shifts[0] > shifts[1] + 0.3
