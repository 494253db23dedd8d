from functools import partial

import numpy as np
import pytest
from sklearn.datasets import load_digits

from diffresnet.estimators import DiffResNetClassifier
from diffresnet.estimators.parts.features import FeatureKernel
from diffresnet.estimators.parts.kept_columns import KeptColumns
from diffresnet.estimators.parts.part import RidgePart
from diffresnet.estimators.preview import preview_labels
from diffresnet.estimators.solvers.solved_mixture import SolvedMixture

FEATURES, CLASSES = (np.asarray(part)[:600] for part in load_digits(return_X_y=True))


def fitted(n_each: int = 3, **options: object) -> DiffResNetClassifier:
    labels = np.full(len(CLASSES), -1)
    for one in range(10):
        rows = np.flatnonzero(one == CLASSES)[:n_each]
        labels[rows] = one
    return DiffResNetClassifier(**options).fit(FEATURES, labels)  # type: ignore[arg-type]


def columns_of_features(model: DiffResNetClassifier) -> KeptColumns:
    solved = model.solution_.solved
    assert isinstance(solved, SolvedMixture)
    ridges = [part for part in solved.parts if isinstance(part, RidgePart)]
    kernels = [kernel for part in ridges for _, kernel in part.kernels]
    (kernel,) = {id(one): one for one in kernels if isinstance(one, FeatureKernel)}.values()
    return kernel.gaussian.columns


@pytest.mark.parametrize("n_each", [1, 3])
def test_labels_that_do_not_change_give_what_was_learned(n_each: int) -> None:
    model = fitted(n_each)
    some = np.arange(0, 600, 7)
    for rows in (None, some):
        found = preview_labels(model, [0], [CLASSES[0]], rows)
        assert found is not None
        own = model.label_distributions_ if rows is None else model.label_distributions_[rows]
        assert np.abs(found.probabilities - own).max() < 1e-4
        assert found.probabilities.dtype == np.float32
        assert found.reached.all()


def test_it_is_near_to_an_update_and_leaves_the_model_alone() -> None:
    model = fitted()
    before, rows = model.label_distributions_.copy(), [500, 501, 502]
    whole = preview_labels(model, rows, CLASSES[rows])
    part = preview_labels(model, rows, CLASSES[rows], np.arange(100, 600))
    assert whole is not None
    assert part is not None
    assert (model.label_distributions_ == before).all()
    model.update_labels(rows, CLASSES[rows])
    after = model.label_distributions_.argmax(axis=1)
    assert (before.argmax(axis=1) != after).any()
    for found, own in ((whole, after), (part, after[100:])):
        assert (found.probabilities.argmax(axis=1) == own).mean() > 0.97
    assert (whole.probabilities[rows, CLASSES[rows]] == 1).all()
    assert np.abs(part.probabilities - whole.probabilities[100:]).mean() < 0.01


def test_points_in_view_need_no_columns_of_a_new_label() -> None:
    model, rows, some = fitted(), [500, 501, 502], np.arange(100, 600)
    kept = columns_of_features(model)
    n_kept = len(kept.places)
    assert n_kept > 0
    cold = preview_labels(model, rows, CLASSES[rows], some)
    assert len(kept.places) == n_kept
    preview_labels(model, rows, CLASSES[rows])
    assert len(kept.places) == n_kept + len(rows)
    warm = preview_labels(model, rows, CLASSES[rows], some)
    assert cold is not None
    assert warm is not None
    assert np.abs(cold.probabilities - warm.probabilities).max() < 1e-5


def test_labels_can_be_taken_away() -> None:
    model = fitted()
    row = int(np.flatnonzero(CLASSES == 4)[0])
    found = preview_labels(model, [row], [-1])
    assert found is not None
    assert model.label_distributions_[row].max() == 1
    assert found.probabilities[row].max() < 1


def test_where_only_an_update_can_tell() -> None:
    model = fitted()
    assert preview_labels(model, [0], [77]) is None  # a class comes
    only = np.flatnonzero(model.encoded_labels_ == 3)
    assert preview_labels(model, only, [-1] * len(only)) is None  # a class goes
    assert preview_labels(DiffResNetClassifier().prepare(FEATURES), [0], [1]) is None
    assert preview_labels(fitted(solver="kernel"), [0], [CLASSES[0]]) is None


def test_it_refuses_what_an_update_refuses() -> None:
    points = np.random.default_rng(0).normal(size=(30, 4))
    points[1] = points[0]
    model = DiffResNetClassifier().fit(points, [0, -1, 1, 1, 0, *[-1] * 25])
    for change in (model.update_labels, partial(preview_labels, model)):
        with pytest.raises(ValueError, match="the same for equal points"):
            change([0, 2, 3, 4, 1], [0, -1, -1, -1, 1])
        with pytest.raises(ValueError, match="indices"):
            change([30], [0])


def test_islands_are_reached_by_their_first_label() -> None:
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(size=(40, 3)), 1000 + rng.normal(size=(40, 3))])
    labels = np.full(80, -1)
    labels[[0, 1, 2, 3]] = [0, 1, 0, 1]
    with pytest.warns(UserWarning, match="not connected"):
        model = DiffResNetClassifier(n_top=5).fit(points, labels)
    assert not model.reached_[40:].any()
    found = preview_labels(model, [50], [1])
    assert found is not None
    assert found.reached[50]
    assert found.reached[:40].tolist() == model.reached_[:40].tolist()
    same = model.solution_.points.components == model.solution_.points.components[50]
    assert (found.probabilities[same].argmax(axis=1) == 1).all()
