import numpy as np
import torch
from torch.nn.functional import one_hot

from diffresnet.estimators.suggestion import suggest_points

POINTS = one_hot(torch.tensor([0, 0, 1, 1, 2, 2])).float()
PROBABILITIES = torch.tensor(
    [[0.9, 0.1], [0.9, 0.1], [0.5, 0.5], [0.55, 0.45], [0.7, 0.3], [0.7, 0.3]]
)
NOBODY = np.zeros(6, dtype=bool)
ONE_COMPONENT = np.zeros(6, dtype=np.int32)


def test_uncertain_and_unlike_each_other() -> None:
    found = suggest_points(
        3,
        POINTS,
        probabilities=PROBABILITIES,
        labeled=NOBODY,
        components=ONE_COMPONENT,
        reached=~NOBODY,
    )
    assert found[0] == 2
    assert found[1] in (4, 5)
    assert found[2] in (0, 1)


def test_components_without_labels_come_first_and_labeled_ones_never() -> None:
    labeled = np.array([False, False, True, True, False, False])
    parts = np.array([0, 0, 0, 0, 0, 1], dtype=np.int32)
    found = suggest_points(
        9,
        POINTS,
        probabilities=PROBABILITIES,
        labeled=labeled,
        components=parts,
        reached=parts == 0,
    )
    assert found[0] == 5
    assert sorted(found) == [0, 1, 4, 5]
