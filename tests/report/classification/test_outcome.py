import numpy as np

from diffresnet.report.class_marks import choose_marks
from diffresnet.report.classification.outcome import Outcome


def test_sureness_is_of_reached_points_without_a_label() -> None:
    outcome = Outcome(
        ids=["a", "b", "c", "d"],
        class_names=["x", "y"],
        marks=choose_marks(np.ones(2, dtype=np.int64)),
        probabilities=np.array([[1.0, 0.0], [0.3, 0.7], [0.6, 0.4], [0.5, 0.5]]),
        encoded=np.array([0, -1, -1, -1]),
        reached=np.array([True, True, True, False]),
    )
    assert outcome.is_labeled.tolist() == [True, False, False, False]
    assert outcome.sureness.tolist() == [0.7, 0.6]
    assert outcome.previews == ()
