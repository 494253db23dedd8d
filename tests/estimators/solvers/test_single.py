import numpy as np
import pytest
import torch

from diffresnet.estimators import DiffResNetClassifier
from diffresnet.estimators.points import Places
from diffresnet.estimators.solvers.single import SolvedSingle


@pytest.mark.parametrize("n_classes", [0, 1])
def test_scores_are_equal(n_classes: int) -> None:
    scores = SolvedSingle(5, n_classes).score(Places(None, rows=torch.tensor([4, 1])))
    assert scores.shape == (2, n_classes)
    assert not scores.any()


def test_it_takes_the_place_of_any_solver() -> None:
    points = np.random.default_rng(0).normal(size=(20, 3))
    for solver in ("mixture", "kernel", "network"):
        model = DiffResNetClassifier(solver=solver).prepare(points)
        assert "There is no label yet: nothing is predicted." in model.diagnose().sentences
        model.update_labels([3], ["cat"])
        assert set(model.predict(points)) == {"cat"}
        assert any("label a point of another" in one for one in model.diagnose().sentences)
