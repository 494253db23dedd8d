import numpy as np
import pytest

from diffresnet.estimators import DiffResNetClassifier
from diffresnet.estimators.copies import Copies
from diffresnet.estimators.repeated import RepeatedLabels, find_contradictions


def survey(seed: int, n_rows: int = 600) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return answers to six yes-no questions, the class, and labels of a third of the rows."""
    rng = np.random.default_rng(seed)
    answers = rng.integers(0, 2, (n_rows, 6)).astype(float)
    slopes = rng.normal(size=6)
    classes = (rng.random(n_rows) < 1 / (1 + np.exp(-1.5 * (answers - 0.5) @ slopes))).astype(int)
    labels = np.full(n_rows, -1)
    chosen = rng.choice(n_rows, n_rows // 3, replace=False)
    labels[chosen] = classes[chosen]
    return answers, classes, labels


@pytest.mark.parametrize("seed", range(3))
def test_equal_rows_with_different_labels_are_not_certain(seed: int) -> None:
    answers, classes, labels = survey(seed)
    model = DiffResNetClassifier().fit(answers, labels)
    rest = labels < 0
    assert np.array_equal(model.transduction_[~rest], labels[~rest])
    assert (model.label_distributions_[~rest].max(axis=1) == 1).all()
    right = (model.transduction_ == classes)[rest].mean()
    confidence = model.label_distributions_[rest].max(axis=1).mean()
    assert abs(confidence - right) < 0.15
    expected = model.expect_accuracy()
    assert expected is not None
    assert expected.interval[0] - 0.05 < right < expected.interval[1] + 0.05
    sets = model.predict_set(coverage=0.9)
    assert sets[np.arange(600), classes][rest].mean() > 0.85
    said = model.predict_or_abstain(error_rate=0.1)
    is_said = rest & (said != -1)
    assert not is_said.any() or (said != classes)[is_said].mean() < 0.15
    assert any("Equal rows have different labels (" in one for one in model.diagnose().sentences)


def test_copies_without_a_label_share_the_labels_of_their_point() -> None:
    points = np.repeat(np.random.default_rng(0).normal(size=(10, 3)), 8, axis=0)
    labels = np.full(80, -1)
    labels[:8] = [0, 0, 1, 0, 0, -1, -1, -1]
    labels[8:16] = [1, 1, 1, 1, -1, -1, -1, -1]
    labels[16:20] = [0, 0, 1, 0]
    model = DiffResNetClassifier().fit(points, labels)
    repeated = model.repeated_
    assert repeated is not None
    assert (model.label_distributions_[5:8] == model.label_distributions_[5]).all()
    place = int(repeated.point[repeated.rows == 0][0])
    predicted, weight = repeated.predicted[place], repeated.weight
    expected = (np.array([4, 1]) + weight * predicted) / (5 + weight)
    assert model.label_distributions_[5] == pytest.approx(expected, abs=1e-6)
    held_out = repeated.held_out
    own = np.flatnonzero(held_out.rows == 2)[0]
    without = (np.array([4, 0]) + weight * predicted) / (4 + weight)
    assert held_out.probabilities[own] == pytest.approx(without, abs=1e-6)
    groups = find_contradictions(model.copies_, model.encoded_labels_, model.solution_)
    assert groups == ((0, 1, 2, 3, 4), (16, 17, 18, 19))


def test_where_labels_of_equal_rows_agree_one_speaks_for_all() -> None:
    points = np.repeat(np.random.default_rng(0).normal(size=(10, 3)), 8, axis=0)
    labels = np.full(80, -1)
    labels[[0, 1, 8, 9]] = 0, 0, 1, 1
    model = DiffResNetClassifier().fit(points, labels)
    assert model.repeated_ is None
    assert (model.label_distributions_[:8, 0] == 1).all()


def test_rows_that_are_all_equal_have_the_labels_as_probabilities() -> None:
    labels = np.full(300, -1)
    labels[:12] = np.repeat([0, 1, 2], 4)
    model = DiffResNetClassifier().fit(np.ones((300, 3)), labels)
    assert model.label_distributions_[20] == pytest.approx(np.full(3, 1 / 3), abs=0.02)
    assert model.transduction_[:12].tolist() == labels[:12].tolist()
    assert not any("One label only" in one for one in model.diagnose().sentences)


def test_the_weight_has_the_largest_likelihood() -> None:
    rng = np.random.default_rng(0)
    point = np.repeat(np.arange(40), 5)
    rates = rng.beta(20, 20, size=40)
    classes = (rng.random(200) < rates[point]).astype(np.int64)
    counts = np.stack([np.bincount(point, classes == one) for one in (0, 1)], axis=1)
    given = np.arange(200), classes, point, counts, np.full((40, 2), 0.5), np.ones(40, bool)
    found = [RepeatedLabels(*given, weight)._likelihood() for weight in (0.1, 30.0)]  # pyright: ignore[reportPrivateUsage]
    assert found[1] > found[0]  # copies tell next to nothing here
    first = counts[0] - np.eye(2)[classes[0]]
    others = [(counts[p] - np.eye(2)[c] + 0.05) / 4.1 for p, c in zip(point, classes, strict=True)]
    assert np.allclose(others[0], (first + 0.05) / 4.1)
    loop = sum(float(np.log(one[c])) for one, c in zip(others, classes, strict=True))
    assert found[0] == pytest.approx(loop)


def test_without_copies_there_is_nothing_to_find() -> None:
    model = DiffResNetClassifier().fit(np.random.default_rng(0).normal(size=(20, 2)), [0, 1] * 10)
    labels = model.encoded_labels_
    assert RepeatedLabels.find(Copies.none(20), labels, model.solution_) is None
