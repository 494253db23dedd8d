import numpy as np
import pytest

from diffresnet import DiffResNetClassifier
from diffresnet.studio import flow as flowing
from diffresnet.studio.flow import flow, strengths_of
from diffresnet.studio.predictions import NONE_LABEL


def ring(n: int = 40) -> DiffResNetClassifier:
    links = np.roll(np.eye(n), 1, axis=0)
    return DiffResNetClassifier().prepare(None, graph=links + links.T)


def test_labels_flow_farther_with_strength() -> None:
    model = ring().update_labels([0, 20], [3, 7])
    offered = strengths_of(model)
    assert offered is not None
    reached = [
        int((flow(model, value).classes >= 0).sum())
        for value in np.geomspace(offered.least, offered.most, 6)
    ]
    assert reached == sorted(reached)
    assert 2 <= reached[0] < reached[-1] <= 40
    found = flow(model, offered.most)
    assert (found.classes[[1, 2, 39]] == 3).all()
    assert (found.classes[[19, 21]] == 7).all()
    assert found.probabilities[[0, 20]].tolist() == [1, 1]


def test_modes_stand_in_for_large_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    model = ring().update_labels([0, 20], [3, NONE_LABEL])
    exact = flow(model, model.strength_)
    monkeypatch.setattr(flowing, "LARGEST_EXACT", 1)
    by_modes = flow(model, model.strength_)
    assert (exact.classes == by_modes.classes).mean() > 0.9
    assert (by_modes.classes == -2).any()


def test_there_is_nothing_to_look_at_without_labels() -> None:
    assert strengths_of(ring()) is None
    with pytest.raises(ValueError, match="`value` must be one of a studio with labels, got 1"):
        flow(ring(), 1.0)
    with pytest.raises(ValueError, match="`value` must be between"):
        flow(ring().update_labels([0], [1]), 1e7)
