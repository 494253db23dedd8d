import numpy as np
import pytest
import torch

from diffresnet.estimators import DiffResNetClassifier, DiffResNetRegressor
from diffresnet.estimators.parts import many_labels
from diffresnet.estimators.parts.linear import fit_linear
from diffresnet.estimators.parts.many_labels import few_of
from diffresnet.estimators.parts.ridges import fit_ridges
from diffresnet.learning.labels import Labels
from diffresnet.learning.values import Values
from tests.estimators.examples import clusters, fitted

MOST = 12


@pytest.fixture
def few_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_labels, "MOST_LABELS", MOST)


def some_labels(n_labels: int) -> Labels:
    classes = torch.from_numpy(clusters()[1])
    rows = torch.randperm(len(classes), generator=torch.Generator().manual_seed(1))[:n_labels]
    rows = rows.sort().values
    return Labels(rows, classes[rows], 3)


def test_few_labels_are_all_learned_from() -> None:
    labels = some_labels(100)
    assert few_of(fitted(clusters()[0]), labels) is labels


@pytest.mark.usefixtures("few_allowed")
def test_labels_that_are_not_learned_from_are_held_out() -> None:
    points, labels = fitted(clusters()[0]), some_labels(60)
    few = few_of(points, labels)
    assert len(few.rows) == MOST
    values = Values(labels.rows, labels.classes.double())
    parts, _ = fit_ridges(points, labels, 0.5, torch.Generator().manual_seed(0))
    for part, known in [*((one, labels) for one in parts), (fit_linear(points, values), values)]:
        assert len(part.ridge.coefficients) == MOST
        is_seen = torch.isin(known.rows, few.rows)
        shown = part.score(points.some_places(known.rows)).double()
        assert torch.equal(part.held_out[is_seen], part.ridge.held_out)
        assert torch.allclose(part.held_out[~is_seen], shown[~is_seen])


@pytest.mark.usefixtures("few_allowed")
def test_the_same_points_are_drawn_while_labels_come() -> None:
    points = fitted(clusters()[0])
    every = some_labels(60)
    before, after = few_of(points, every.take(torch.arange(59))), few_of(points, every)
    assert int((~torch.isin(after.rows, before.rows)).sum()) <= 1


@pytest.mark.usefixtures("few_allowed")
def test_a_class_with_one_label_among_many_is_learned() -> None:
    classes = torch.zeros(60, dtype=torch.long)
    classes[59] = 1
    labels = Labels(torch.arange(60), classes, 2)
    assert 59 in few_of(fitted(clusters()[0]), labels).rows.tolist()


@pytest.mark.usefixtures("few_allowed")
def test_estimators_learn_from_more_labels_than_their_kernels() -> None:
    points, classes = clusters()
    labels = np.where(np.arange(len(classes)) % 2 == 0, classes, -1)
    model = DiffResNetClassifier().fit(points, labels)
    assert (model.transduction_ == classes).mean() > 0.95
    assert model.diagnose().expected_accuracy is not None
    model.update_labels([1], [classes[1]])
    assert model.transduction_[1] == classes[1]
    values = np.where(labels >= 0, 1.0 * classes, np.nan)
    found = DiffResNetRegressor().fit(points, values)
    assert np.abs(found.transduction_ - classes)[labels < 0].mean() < 0.2
    assert found.predict_interval(coverage=0.9).shape == (len(classes), 2)
