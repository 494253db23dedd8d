"""A classifier without labels: prepared, labeled from none on, and back."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from diffresnet import DiffResNetClassifier
from tests.estimators.examples import partly

CLASSES = np.repeat(np.arange(3), 40)
POINTS = 4.0 * np.eye(3, 8)[CLASSES] + np.random.default_rng(0).normal(size=(120, 8))
FIRST = [0, 40, 80]


def test_nothing_is_predicted_without_a_label() -> None:
    model = DiffResNetClassifier().prepare(POINTS)
    assert model.classes_.shape == (0,)
    assert model.label_distributions_.shape == (120, 0)
    assert (model.transduction_ == -1).all()
    assert not model.reached_.any()
    assert model.embedding_.shape[0] == 120
    assert "There is no label yet: nothing is predicted." in model.diagnose().sentences
    assert model.expect_accuracy() is None


@pytest.mark.parametrize("solver", ["mixture", "kernel"])
def test_labels_from_none_on_give_what_fit_gives(solver: str) -> None:
    options: dict[str, Any] = {"solver": solver, "n_top": 60}
    labels = partly(CLASSES)
    fitted = DiffResNetClassifier(**options).fit(POINTS, labels)
    rows = np.flatnonzero(labels >= 0)
    model = DiffResNetClassifier(**options).prepare(POINTS)
    for row in rows:  # one class, then two, then three
        model.update_labels([row], [labels[row]])
    assert (model.classes_ == fitted.classes_).all()
    assert np.abs(model.label_distributions_ - fitted.label_distributions_).max() < 1e-5
    new = POINTS[:7] + 0.1
    assert np.abs(model.predict_proba(new) - fitted.predict_proba(new)).max() < 1e-5


def one_class() -> DiffResNetClassifier:
    return DiffResNetClassifier(n_top=60).prepare(POINTS).update_labels([0, 1], ["a", "a"])


def test_with_one_class_every_answer_is_it() -> None:
    model = one_class()
    assert model.classes_.tolist() == ["a"]
    assert set(model.transduction_) == {"a"}
    assert (model.label_distributions_ == 1).all()
    assert model.reached_.all()
    assert (model.predict_proba(POINTS[:3]) == 1).all()
    assert model.predict(POINTS[:3]).tolist() == ["a"] * 3
    assert model.score(POINTS[:2], ["a", "b"]) == 0.5
    assert model.novelty_.shape == (120,)
    assert any("of one class" in said for said in model.diagnose().sentences)


def test_suggestions_before_and_after_the_first_label() -> None:
    model = DiffResNetClassifier(n_top=60).prepare(POINTS)
    first = model.suggest(3)
    assert first.tolist() == DiffResNetClassifier(n_top=60).suggest_first(POINTS, 3).tolist()
    assert set(CLASSES[first]) == {0, 1, 2}
    model.update_labels(first[:1], CLASSES[first[:1]])
    again = model.suggest(2)
    assert first[0] not in again
    assert set(CLASSES[again].tolist()) == {0, 1, 2} - {int(CLASSES[first[0]])}


def test_labels_can_be_taken_away_down_to_none() -> None:
    model = one_class()
    model.update_labels([0, 1, 5], [None, None, "b"])
    assert model.classes_.tolist() == ["b"]
    model.update_labels([5], [None])
    assert len(model.classes_) == 0
    fresh = DiffResNetClassifier(n_top=60).prepare(POINTS)
    assert model.suggest(3).tolist() == fresh.suggest(3).tolist()
    model.update_labels(FIRST, [7, 8, 9])
    assert (model.transduction_ - 7 == CLASSES).mean() > 0.95


@pytest.mark.parametrize("n_labels", [0, 1])
def test_it_is_saved_and_loaded(n_labels: int, tmp_path: Path) -> None:
    model = DiffResNetClassifier(n_top=60).prepare(POINTS)
    if n_labels:
        model.update_labels([0], ["a"])
    loaded = DiffResNetClassifier.load(model.save(tmp_path / "model.npz"))
    assert loaded.classes_.tolist() == model.classes_.tolist()
    assert (loaded.label_distributions_ == model.label_distributions_).all()
    loaded.update_labels(FIRST, ["x", "y", "z"])
    model.update_labels(FIRST, ["x", "y", "z"])
    assert np.abs(loaded.label_distributions_ - model.label_distributions_).max() < 1e-6


def test_graphs_sparse_features_and_copies_are_welcome() -> None:
    ring = np.roll(np.eye(12), 1, axis=0)
    model = DiffResNetClassifier().prepare(None, graph=ring + ring.T)
    assert model.update_labels([0, 6], ["a", "b"]).transduction_[[1, 5]].tolist() == ["a", "b"]
    precomputed = DiffResNetClassifier(graph="precomputed").prepare(ring + ring.T)
    assert precomputed.update_labels([0], ["a"]).reached_.all()
    wide = sparse.csr_array(np.eye(30, 40))
    assert len(DiffResNetClassifier(n_top=31).prepare(wide).suggest(2)) == 2
    doubled = np.concatenate([POINTS, POINTS[:10]])
    model = DiffResNetClassifier(n_top=60).prepare(doubled)
    assert model.copies_.n_copies == 10
    assert (model.update_labels(FIRST, [0, 1, 2]).transduction_[120:] == 0).all()


def test_a_prior_waits_for_its_classes() -> None:
    model = DiffResNetClassifier(n_top=60, class_prior="uniform").prepare(POINTS)
    model.update_labels([0], ["a"])
    model.update_labels([40], ["b"])
    assert model.label_distributions_.mean(axis=0) == pytest.approx([0.5, 0.5], abs=0.02)


def test_what_needs_labels_says_so() -> None:
    model = DiffResNetClassifier(n_top=60).prepare(POINTS)
    few = "must be fitted by the mixture with labels that can be held out, got fewer than two"
    none = "must be one that has a label, got none yet. Label a point by `update_labels`."
    calls: dict[str, tuple[Callable[[], Any], str]] = {
        "predict": (lambda: model.predict(POINTS), none),
        "score": (lambda: model.score(POINTS, CLASSES), none),
        "novelty_": (lambda: model.novelty_, none),
        "audit": (model.audit, few),
        "predict_set": (model.predict_set, few),
        "predict_or_abstain": (model.predict_or_abstain, few),
        "learning_curve": (model.learning_curve, few),
    }
    for name, (call, sentence) in calls.items():
        with pytest.raises(ValueError) as refused:  # noqa: PT011
            call()
        start = f"DiffResNetClassifier.{name}: `the classifier` {sentence}"
        assert str(refused.value).startswith(start)


def test_fit_refuses_one_class_and_predict_an_unprepared_model() -> None:
    labels = np.full(120, -1)
    labels[0] = 3
    with pytest.raises(ValueError, match="must be labels of two classes or more"):
        DiffResNetClassifier().fit(POINTS, labels)
    with pytest.raises(NotFittedError):
        DiffResNetClassifier().predict(POINTS)
    with pytest.raises(NotFittedError):
        DiffResNetClassifier().update_labels([0], [1])


def test_a_refused_prepare_changes_nothing() -> None:
    model = one_class()
    before = dict(vars(model))
    with pytest.raises(ValueError, match="n_top"):
        model.set_params(n_top=1).prepare(POINTS)
    assert vars(model)["solution_"] is before["solution_"]
