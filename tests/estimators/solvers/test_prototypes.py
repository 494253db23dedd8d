import torch
from torch.nn.functional import one_hot

from diffresnet.estimators.solvers.prototypes import PrototypeSolver, weigh
from diffresnet.estimators.strength import Strength
from diffresnet.learning.labels import Labels
from tests.estimators.examples import clusters, fitted

DOUBT = 0.5


def test_labels_weigh_the_views() -> None:
    classes = torch.arange(3).repeat(20)
    good = 5 * one_hot(classes).float()
    bad = 5 * torch.randn(60, 3, generator=torch.Generator().manual_seed(0))
    assert weigh(good, bad, classes, (0.5, 1.0), DOUBT)[0] >= 0.8
    assert weigh(bad, good, classes, (0.5, 1.0), DOUBT)[0] <= 0.2
    weight, scale = weigh(bad, bad, classes, (0.5, 1.0), DOUBT)
    assert weight == 0.5
    assert scale < 0.3


def test_learns_from_the_better_view() -> None:
    given, codes = clusters()
    classes = torch.from_numpy(codes)
    shuffled = fitted(given[torch.randperm(120, generator=torch.Generator().manual_seed(0))])
    points = fitted(given)
    rows = torch.cat([40 * one + torch.arange(12) for one in range(3)])
    labels = Labels(rows, classes[rows], 3)
    # The graph is that of other points: only the features can be right.
    torn = type(points)(points.space, points.points, shuffled.operator, shuffled.spectrum)
    generator = torch.Generator().manual_seed(0)
    solved = PrototypeSolver().solve(torn, labels, Strength(0.5, 8), generator)
    assert solved.view_weight < 0.8
    right = solved.score(torn.places).argmax(dim=1) == classes
    assert float(right.double().mean()) > 0.95
    assert "the features" in solved.remarks[0]
    alone = type(points)(None, None, points.operator, points.spectrum)
    solved = PrototypeSolver().solve(alone, labels, Strength(0.5, 8), generator)
    assert solved.remarks == ()
    assert bool((solved.score(alone.places).argmax(dim=1) == classes).all())
