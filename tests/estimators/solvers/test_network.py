import numpy as np
import pytest
import torch

from diffresnet.estimators import DiffResNetClassifier
from diffresnet.estimators.points import FittedPoints
from diffresnet.estimators.solvers.network import NetworkSolver
from diffresnet.learning.labels import Labels
from diffresnet.learning.strength import Strength
from tests.estimators.examples import clusters, fitted, partly

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


@pytest.mark.parametrize(
    ("solver", "device", "message"),
    [
        (
            "mixture",
            "cuda",
            "DiffResNetClassifier: `device` must be 'cpu' with solver 'mixture', got 'cuda'. "
            "Take solver='network', which alone is trained elsewhere, or leave it out.",
        ),
        ("network", "nowhere", "`device` must be one that torch has, got 'nowhere' ("),
        ("network", "meta", "`device` must be one that torch has, got 'meta' ("),
    ],
)
def test_a_device_that_is_none(solver: str, device: str, message: str) -> None:
    given, classes = clusters()
    model = DiffResNetClassifier(solver=solver, device=device)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="`device`") as error:
        model.fit(given, partly(classes))
    assert message in str(error.value)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
def test_a_network_is_trained_on_a_device() -> None:
    given, classes = clusters()
    there, here = (
        DiffResNetClassifier(solver="network", device=device).fit(given, partly(classes))
        for device in ("cuda", "cpu")
    )
    np.testing.assert_array_equal(there.transduction_, here.transduction_)
