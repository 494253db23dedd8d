import numpy as np
import pytest

from diffresnet.paper.digits import OTHERS, OURS, draw_labels, nearest_prototype, run_digits


def test_one_label_a_class() -> None:
    truth = np.repeat(np.arange(3), 5)
    labels = draw_labels(truth, 0)
    known = labels != -1
    assert labels[known].tolist() == [0, 1, 2]
    assert (labels[known] == truth[known]).all()
    assert (labels != draw_labels(truth, 1)).any()
    np.testing.assert_array_equal(labels, draw_labels(truth, 0))


def test_nearest_prototype() -> None:
    points = np.array([[0.0], [2.0], [10.0], [4.0], [7.0]])
    labels = np.array([3, 3, 5, -1, -1])
    assert nearest_prototype(points, labels).tolist() == [3, 3, 5, 3, 5]


def test_one_draw() -> None:
    done: list[int] = []
    result = run_digits(seed=2, n_draws=1, advance=lambda n_done, _: done.append(n_done))
    assert done == [1]
    assert list(result.accuracies) == [OURS, *OTHERS]
    assert all(0.3 < values[0] < 1 for values in result.accuracies.values())
    numbers = result.to_json()
    assert (numbers["points"], numbers["labels"], numbers["seed"]) == (1797, 10, 2)
    assert numbers["accuracy"][OURS] == {
        "mean": result.accuracies[OURS][0],
        "draws": result.accuracies[OURS],
    }


def test_no_draw() -> None:
    with pytest.raises(ValueError, match=r"`n_draws` must be 1 or more, got 0. Raise it."):
        run_digits(n_draws=0)
