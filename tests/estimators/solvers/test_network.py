import torch

from diffresnet.estimators.points import FittedPoints
from diffresnet.estimators.solvers.network import NetworkSolver
from diffresnet.learning.labels import Labels
from diffresnet.learning.strength import Strength
from tests.estimators.examples import clusters, fitted

LABELS = Labels(torch.tensor([0, 40, 80]), torch.tensor([0, 1, 2]), 3)


def test_network_learns_and_leaves_randomness_alone() -> None:
    given, classes = clusters()
    points = fitted(given)
    before = torch.random.get_rng_state()
    found = [
        NetworkSolver()
        .solve(points, LABELS, Strength(0.5, 5), torch.Generator().manual_seed(0))
        .score(points.places)
        for _ in range(2)
    ]
    assert torch.equal(found[0], found[1])
    assert torch.equal(torch.random.get_rng_state(), before)
    assert (found[0].argmax(dim=1).numpy() == classes).all()


def test_a_graph_without_features() -> None:
    given, classes = clusters()
    points = fitted(given)
    alone = FittedPoints(None, None, None, points.operator, points.spectrum)
    generator = torch.Generator().manual_seed(0)
    solved = NetworkSolver().solve(alone, LABELS, Strength(0.5, 200), generator)
    assert (solved.score(alone.places).argmax(dim=1).numpy() == classes).mean() > 0.95
