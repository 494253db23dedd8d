import torch

from diffresnet.estimators.parts.directions import Exemplars, Means, find_directions
from diffresnet.estimators.parts.settings import PrototypeSettings
from tests.estimators.parts.examples import CLASSES, SHARPNESS, labels, view

SETTINGS = PrototypeSettings()
ALL = torch.arange(120)


def test_exemplars_are_between_the_mean_and_the_nearest() -> None:
    points = torch.nn.functional.normalize(
        torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), dim=1
    )
    weights = torch.tensor([[0.5, 0.0], [0.5, 0.0], [0.0, 1.0]])
    asked = torch.tensor([[1.0, 0.0]])
    soft, hard = (Exemplars(points, weights, by).nearness(asked)[0] for by in (1e-3, 1e3 / 20))
    assert torch.allclose(soft, torch.tensor([0.5, 0.7071]), atol=1e-2)
    assert torch.allclose(hard, torch.tensor([1.0, 0.7071]), atol=2e-2)


def test_every_label_of_a_class_speaks() -> None:
    seen = view(0.1)
    found = find_directions(seen, labels(30), ALL, SHARPNESS, SETTINGS, by_mean=False)
    assert isinstance(found.labeled, Exemplars)
    assert len(found.labeled.points) == 90
    assert torch.allclose(found.labeled.weights.sum(dim=0), torch.ones(3))
    assert torch.equal(found.score(seen.points).argmax(dim=1), CLASSES)


def test_means_are_nearest_by_distance() -> None:
    seen = view(0.1)
    found = find_directions(seen, labels(5), ALL, SHARPNESS, SETTINGS, by_mean=True)
    assert isinstance(found.labeled, Means)
    distances = torch.cdist(seen.points, found.labeled.means).square()
    nearness = found.labeled.nearness(seen.points)
    # Points have length one: |x - m|^2 = 1 - 2 nearness.
    assert torch.allclose(distances, 1 - 2 * nearness, atol=1e-5)
