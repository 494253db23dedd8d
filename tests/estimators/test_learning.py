import torch
from torch.nn.functional import one_hot

from diffresnet.estimators.learning import learn, weigh
from tests.estimators.directions_examples import CLASSES, labels, view


def test_labels_weigh_the_views() -> None:
    classes = torch.arange(3).repeat(20)
    good = 5 * one_hot(classes).float()
    bad = 5 * torch.randn(60, 3, generator=torch.Generator().manual_seed(0))
    assert weigh(good, bad, classes, (0.5, 1.0))[0] >= 0.8
    assert weigh(bad, good, classes, (0.5, 1.0))[0] <= 0.2
    share, scale = weigh(bad, bad, classes, (0.5, 1.0))
    assert share == 0.5
    assert scale < 0.3


def test_learns_from_the_better_view() -> None:
    generator = torch.Generator().manual_seed(0)
    noise, signal = view(5.0), view(0.1, by_mean=True)
    learned = learn(noise, signal, labels(5), generator)
    assert learned.share < 0.5
    right = learned.score(noise.points, signal.points).argmax(dim=1) == CLASSES
    assert float(right.double().mean()) > 0.95
    alone = learn(signal, None, labels(1), generator)
    assert alone.share == 1
    assert bool((alone.score(signal.points, None).argmax(dim=1) == CLASSES).all())
