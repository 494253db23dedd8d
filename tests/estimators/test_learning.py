import torch
from torch.nn.functional import one_hot

from diffresnet.estimators.learning import (
    FEATURE_SHARPNESS,
    GRAPH_SHARPNESS,
    Labels,
    View,
    find_directions,
    learn,
    measure_stability,
    scale_from_stability,
    share_from_stability,
    weigh,
)

CLASSES = torch.arange(3).repeat_interleave(40)


def view(noise: float, sharpness: float, seed: int = 0) -> View:
    generator = torch.Generator().manual_seed(seed)
    raw = one_hot(CLASSES, 6).float() + noise * torch.randn(120, 6, generator=generator)
    return View.make(raw, torch.ones(6), sharpness)


def labels(n_each: int) -> Labels:
    known = torch.cat([40 * one + torch.arange(n_each) for one in range(3)])
    return Labels(known, CLASSES[known], 3)


def test_folds_leave_every_label_out_once_and_none_of_a_class_alone() -> None:
    several = labels(5)
    alone = Labels(torch.cat([several.known, torch.tensor([119])]), torch.tensor([0] * 15 + [1]), 2)
    for given in (several, alone):
        left: list[int] = []
        for fewer, out in given.folds(5, torch.Generator().manual_seed(0)):
            assert bool((fewer.counts > 0).all())
            assert len(fewer.known) + int(out.sum()) == len(given.known)
            left += given.known[out].tolist()
        assert sorted(left) == several.known.tolist()


def test_view_places_new_points_as_fitted_ones() -> None:
    raw = torch.randn(20, 4, generator=torch.Generator().manual_seed(0))
    made = View.make(raw, torch.tensor([1.0, 2, 3, 4]), 10)
    assert torch.allclose(made.place(raw), made.points)
    assert torch.allclose(made.points.norm(dim=1), torch.ones(20))


def test_stability_of_clusters_and_of_noise() -> None:
    sample, generator = torch.arange(120), torch.Generator().manual_seed(0)
    found: list[float] = []
    for noise in (0.1, 5.0):
        seen = view(noise, GRAPH_SHARPNESS)
        directions = find_directions(seen, labels(1), sample)
        found.append(measure_stability(seen, directions, sample, generator))
    assert found[0] > 0.99
    assert found[1] < 0.9
    assert share_from_stability(0.99) == 1
    assert share_from_stability(0.5) == 0.1
    assert scale_from_stability(0.99, 10) == 1
    assert scale_from_stability(0.5, 100) == 0.125


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
    noise, signal = view(5.0, GRAPH_SHARPNESS), view(0.1, FEATURE_SHARPNESS)
    learned = learn(noise, signal, labels(5), generator)
    assert learned.share < 0.5
    right = learned.score(noise.points, signal.points).argmax(dim=1) == CLASSES
    assert float(right.double().mean()) > 0.95
    alone = learn(signal, None, labels(1), generator)
    assert alone.share == 1
    assert bool((alone.score(signal.points, None).argmax(dim=1) == CLASSES).all())
