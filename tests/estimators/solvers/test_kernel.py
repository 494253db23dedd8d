from dataclasses import replace

import torch
from torch.nn.functional import normalize

from diffresnet.estimators.points import FittedPoints
from diffresnet.estimators.solvers.kernel import KernelSettings, KernelSolver, make_factors
from diffresnet.learning.kernels import residual_kernel
from diffresnet.learning.labels import Labels
from diffresnet.learning.strength import Strength
from tests.estimators.examples import clusters, fitted

STRENGTH = Strength(0.5, 5)


def labels_of(classes: torch.Tensor, n_each: int) -> Labels:
    rows = torch.cat([40 * one + torch.arange(n_each) for one in range(3)])
    return Labels(rows, classes[rows], 3)


def test_factors_are_those_of_the_diffused_kernel() -> None:
    """With every point a landmark and every mode known, F F' is P k P' + tau P P', each scaled."""
    points = fitted(clusters()[0])
    assert points.points is not None
    settings = replace(KernelSettings(), n_landmarks=120, identity_weight=3.0)
    factors = make_factors(points, STRENGTH, settings).double()
    unit = torch.eye(120)
    spread = points.operator.diffuse(unit, 0.5, 5).double()
    kernel = residual_kernel(points.points.double() @ points.points.double().mT)
    middle = unit.double() - 1 / 120
    expected = torch.zeros_like(spread)
    for weight, matrix in ((1.0, kernel), (3.0, unit.double())):
        part = middle @ spread @ matrix @ spread.mT @ middle
        expected += weight * part / part.diagonal().mean()
    assert torch.allclose(factors @ factors.mT, expected, atol=1e-4)


def test_learns_without_chance() -> None:
    given, codes = clusters()
    points, classes = fitted(given), torch.from_numpy(codes)
    for n_each in (1, 4):
        found = [
            KernelSolver()
            .solve(
                points, labels_of(classes, n_each), STRENGTH, torch.Generator().manual_seed(seed)
            )
            .score(points.places)
            for seed in (0, 1)
        ]
        assert bool((found[0].argmax(dim=1) == classes).all())
        assert torch.allclose(found[0], found[1], rtol=0.2, atol=0.2)


def test_new_points_have_the_factors_of_their_neighbors() -> None:
    given, codes = clusters()
    points, classes = fitted(given), torch.from_numpy(codes)
    generator = torch.Generator().manual_seed(0)
    solved = KernelSolver().solve(points, labels_of(classes, 1), STRENGTH, generator)
    places = points.attach(given[::3], 8, 4)
    found = solved.score(places)
    assert bool((found.argmax(dim=1) == classes[::3]).all())
    moved = places.read(solved.raw) - solved.raw.mean(dim=0).double()
    row = torch.cat([normalize(moved, dim=1)[0], torch.tensor([(4 / 3) ** 0.5])])
    assert torch.allclose(found[0], solved.scale * solved.weights.double() @ row, atol=1e-5)


def test_a_graph_without_features() -> None:
    given, codes = clusters()
    points, classes = fitted(given), torch.from_numpy(codes)
    alone = FittedPoints(None, None, None, points.operator, points.spectrum)
    generator = torch.Generator().manual_seed(0)
    solved = KernelSolver().solve(alone, labels_of(classes, 2), STRENGTH, generator)
    assert bool((solved.score(alone.places).argmax(dim=1) == classes).all())


def test_one_class_with_one_label_does_not_stop_the_others_from_being_held_out() -> None:
    given, codes = clusters()
    points, classes = fitted(given), torch.from_numpy(codes)
    rows = torch.cat([torch.tensor([0]), 40 + torch.arange(10), 80 + torch.arange(10)])
    few, many = Labels(rows, classes[rows], 3), labels_of(classes, 10)
    scales = [
        KernelSolver().solve(points, one, STRENGTH, torch.Generator().manual_seed(0)).scale
        for one in (few, many)
    ]
    assert scales[0] > scales[1] / 4
