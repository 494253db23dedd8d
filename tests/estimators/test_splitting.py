import numpy as np
import pytest

from diffresnet.estimators import LabeledKFold

LABELS = np.array([0, 0, 0, 1, 1, 1, -1, -1])


def test_every_label_is_tested_once_and_unlabeled_points_always_train() -> None:
    tested: list[int] = []
    for train, test in LabeledKFold(3).split(LABELS[:, None], LABELS):
        assert {6, 7} <= set(train)
        assert not set(train) & set(test)
        assert len(train) + len(test) == 8
        assert sorted(LABELS[test]) == [0, 1]
        tested += test.tolist()
    assert sorted(tested) == list(range(6))
    assert LabeledKFold(3).get_n_splits() == 3


def test_too_many_folds() -> None:
    with pytest.raises(ValueError, match="must be") as error:
        list(LabeledKFold(4).split(LABELS[:, None], LABELS))
    assert str(error.value) == (
        "LabeledKFold: `n_splits` must be at most the number of labels of the smallest class (3), "
        "got 4. Lower `n_splits`, or label more points."
    )
