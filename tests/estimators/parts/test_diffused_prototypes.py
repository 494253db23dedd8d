"""Prototypes of features that a given graph diffuses first, where linked points are alike."""

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize

from diffresnet.estimators import DiffResNetClassifier
from diffresnet.estimators.parts.prototypes import FeaturePrototypes
from diffresnet.estimators.points import FittedPoints
from diffresnet.estimators.solvers.solved_mixture import SolvedMixture
from tests.estimators.examples import SETTINGS

N_EACH, N_CLASSES = 60, 3
CLASSES = np.repeat(np.arange(N_CLASSES), N_EACH)


def noisy(seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.eye(N_CLASSES, 20)[CLASSES] + 0.4 * rng.normal(size=(len(CLASSES), 20))


def links(*, within: bool, seed: int = 0) -> np.ndarray:
    """Join points of one class, or only points of different ones, at random."""
    rng = np.random.default_rng(seed)
    joined = np.triu(rng.random((len(CLASSES), len(CLASSES))) < 0.1, 1)
    joined &= (CLASSES[:, None] == CLASSES) == within
    return (joined | joined.T).astype(float)


def fit(graph: np.ndarray) -> tuple[DiffResNetClassifier, FeaturePrototypes]:
    labels = np.full(len(CLASSES), -1)
    labels[::N_EACH] = CLASSES[::N_EACH]
    model = DiffResNetClassifier().fit(noisy(), labels, graph=graph)
    solved = model.solution_.solved
    assert isinstance(solved, SolvedMixture)
    part = solved.parts[1]
    assert isinstance(part, FeaturePrototypes)
    return model, part


def test_features_are_diffused_where_linked_points_are_alike() -> None:
    model, part = fit(links(within=True))
    assert model.solution_.points.has_like_links
    assert part.is_diffused
    assert part.name == "prototypes of the diffused features"
    assert (model.transduction_ == CLASSES).mean() > 0.95
    right = part.score(model.solution_.points.places).argmax(dim=1).numpy() == CLASSES
    assert right.mean() > 0.95


def test_features_stay_as_they_are_where_links_join_what_is_unlike() -> None:
    model, part = fit(links(within=False))
    assert not model.solution_.points.has_like_links
    assert not part.is_diffused
    assert part.name == "prototypes of the features"


def test_a_graph_that_is_made_of_the_features_says_nothing_new() -> None:
    assert not DiffResNetClassifier().prepare(noisy()).solution_.points.has_like_links


def test_new_points_are_scored_by_their_neighbors() -> None:
    model, _ = fit(links(within=True))
    again = model.predict_proba(noisy())
    assert (again.argmax(axis=1) == CLASSES).mean() > 0.8


def test_diffused_equals_steps() -> None:
    graph = torch.from_numpy(links(within=True)).to_sparse_csr().float()
    points = FittedPoints.make(noisy(), graph, **SETTINGS)
    assert points.points is not None
    laplacian = points.operator.laplacian.to_dense().double()
    mean = float(laplacian.diagonal().mean())
    n_steps = round(4.0 / (0.05 * mean))
    expected = points.points.double()
    for _ in range(n_steps):
        expected = expected - 0.05 * laplacian @ expected
    found = points.diffused(0.05, 4.0).double()
    assert torch.allclose(found, normalize(expected, dim=1), atol=1e-4)


def test_a_graph_alone_has_nothing_to_diffuse() -> None:
    points = FittedPoints.make(None, torch.eye(4).to_sparse_csr(), **SETTINGS)
    with pytest.raises(ValueError, match="there must be features, got a graph only"):
        points.diffused(0.5, 1.0)
