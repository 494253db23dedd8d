import numpy as np
import torch

from diffresnet import build_weights
from diffresnet.estimators.points import FittedPoints
from tests.estimators.examples import SETTINGS, clusters, fitted


def test_arrays_there_and_back() -> None:
    given, _ = clusters(n_features=120)
    points = fitted(given)
    again = FittedPoints.from_arrays(points.to_arrays())
    assert points.space is not None
    assert again.space is not None
    assert torch.equal(again.space.place(given)[0], points.space.place(given)[0])
    assert torch.equal(again.operator.weights.to_dense(), points.operator.weights.to_dense())
    assert torch.equal(again.spectrum.modes, points.spectrum.modes)
    assert np.array_equal(again.components, points.components)


def test_a_graph_alone_has_no_features() -> None:
    given, _ = clusters()
    points = FittedPoints.make(None, build_weights(given, 8).float(), **SETTINGS)
    assert points.places.points is None
    assert FittedPoints.from_arrays(points.to_arrays()).points is None
    places = points.attach(np.eye(120)[:2], 8, 4)
    assert places.points is None
    assert torch.equal(places.read(torch.arange(120.0)), torch.tensor([0.0, 1.0]).double())


def test_more_neighbors_than_points() -> None:
    points = FittedPoints.make(np.eye(4), None, **SETTINGS)
    assert points.operator.n_points == 4


def test_new_points_read_from_their_neighbors() -> None:
    given, classes = clusters()
    points = fitted(given)
    values = torch.from_numpy(classes).double()
    assert torch.equal(points.places.read(values), values)
    found = points.attach(given[::7] + 0.01, 8, 4).read(values)
    assert torch.allclose(found, values[::7])


def test_more_classes_need_more_modes() -> None:
    points = fitted(np.random.default_rng(0).standard_normal((500, 5)))
    assert points.for_classes(30) is points
    more = points.for_classes(60)
    assert more.spectrum.modes.shape[1] >= 180
    assert more.operator is points.operator
