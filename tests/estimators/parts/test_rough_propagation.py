import numpy as np
import torch

from diffresnet.estimators.parts.propagation import GraphKernel
from diffresnet.estimators.parts.rough_propagation import RoughGraphKernel
from diffresnet.estimators.points import FittedPoints
from diffresnet.learning.labels import Labels


def points_of(n_points: int, n_modes: int) -> FittedPoints:
    features = np.random.default_rng(0).normal(size=(n_points, 3))
    return FittedPoints.make(
        features,
        None,
        n_classes=2,
        n_top=8,
        bandwidth_rank=5,
        normalization="sinkhorn",
        search="exact",
        seed=0,
        n_modes=n_modes,
    )


def labels_of(rows: list[int]) -> Labels:
    return Labels(torch.tensor(rows), torch.arange(len(rows)) % 2, 2)


def test_without_new_labels_it_is_the_kernel() -> None:
    points, labels = points_of(200, 20), labels_of([3, 50, 120])
    exact = GraphKernel.of(points, labels)
    rough = RoughGraphKernel.of(points, exact, labels.rows)
    assert torch.allclose(rough.gram, exact.gram, atol=1e-6)
    coefficients = torch.randn(3, 2, dtype=torch.float64)
    places = points.some_places(torch.arange(0, 200, 3))
    ours, theirs = rough.expand(places, coefficients), exact.expand(places, coefficients)
    assert torch.allclose(ours, theirs.to(ours), atol=1e-4)


def test_with_all_modes_new_labels_are_exact_too() -> None:
    points = points_of(60, 60)
    before = GraphKernel.of(points, labels_of([3, 50]))
    labels = labels_of([3, 20, 50, 51])
    rough = RoughGraphKernel.of(points, before, labels.rows)
    assert rough.is_new.tolist() == [False, True, False, True]
    exact = GraphKernel.of(points, labels)
    assert torch.allclose(rough.gram * rough.scale, exact.gram * exact.scale, rtol=1e-3, atol=1e-2)


def test_columns_of_new_labels_are_not_kept() -> None:
    points = points_of(200, 20)
    before = GraphKernel.of(points, labels_of([3, 50]))
    rough = RoughGraphKernel.of(points, before, torch.tensor([3, 9, 50]))
    rough.expand(points.places, torch.ones(3, 2, dtype=torch.float64))
    assert set(before.smoothing.columns.places) == {3, 50}
