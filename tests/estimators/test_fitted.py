from typing import Any

import numpy as np
import torch

from diffresnet import build_weights
from diffresnet.estimators.fitted import FittedPoints
from tests.estimators.examples import clusters

SETTINGS: dict[str, Any] = {
    "n_modes": 10,
    "n_top": 8,
    "bandwidth_rank": 4,
    "normalization": "sinkhorn",
    "search": "exact",
    "seed": 0,
}


def test_arrays_there_and_back() -> None:
    given, _ = clusters(n_features=120)
    fitted = FittedPoints.from_features(given, links=None, **SETTINGS)
    again = FittedPoints.from_arrays(fitted.to_arrays())
    assert fitted.space is not None
    assert again.space is not None
    assert torch.equal(again.space.place(given), fitted.space.place(given))
    assert torch.equal(again.operator.weights.to_dense(), fitted.operator.weights.to_dense())
    assert torch.equal(again.spectrum.modes, fitted.spectrum.modes)
    assert np.array_equal(again.components, fitted.components)


def test_a_graph_alone_has_no_view_of_features() -> None:
    given, _ = clusters()
    fitted = FittedPoints.from_graph(build_weights(given, 8).float(), 10)
    assert fitted.feature_view is None
    assert FittedPoints.from_arrays(fitted.to_arrays()).points is None


def test_more_neighbors_than_points() -> None:
    fitted = FittedPoints.from_features(np.eye(4), links=None, **SETTINGS)
    assert fitted.operator.n_points == 4
