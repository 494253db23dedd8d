import torch

from diffresnet.estimators.directions import N_EXEMPLARS, Exemplars, Means, find_directions
from tests.estimators.directions_examples import CLASSES, labels, view


def test_exemplars_are_between_the_mean_and_the_nearest() -> None:
    points = torch.nn.functional.normalize(
        torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), dim=1
    )
    shares = torch.tensor([[0.5, 0.0], [0.5, 0.0], [0.0, 1.0]])
    asked = torch.tensor([[1.0, 0.0]])
    soft, hard = (Exemplars(points, shares, by).nearness(asked)[0] for by in (1e-3, 1e3 / 20))
    assert torch.allclose(soft, torch.tensor([0.5, 0.7071]), atol=1e-2)
    assert torch.allclose(hard, torch.tensor([1.0, 0.7071]), atol=2e-2)


def test_many_labels_of_a_class_do_not_all_speak() -> None:
    seen = view(0.1)
    directions = find_directions(seen, labels(30), torch.arange(120))
    assert isinstance(directions.known, Exemplars)
    assert len(directions.known.points) == 3 * N_EXEMPLARS
    assert torch.allclose(directions.known.shares.sum(dim=0), torch.ones(3))
    assert torch.equal(directions.score(seen.points).argmax(dim=1), CLASSES)


def test_means_are_nearest_by_distance() -> None:
    seen = view(0.1, by_mean=True)
    directions = find_directions(seen, labels(5), torch.arange(120))
    assert isinstance(directions.known, Means)
    distances = torch.cdist(seen.points, directions.known.means).square()
    nearness = directions.known.nearness(seen.points)
    # Points have length one: |x - m|^2 = 1 - 2 nearness.
    assert torch.allclose(distances, 1 - 2 * nearness, atol=1e-5)
