from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diffresnet.studio.engine import Studio
from diffresnet.studio.opening import Source
from tests.studio.studios import N_EACH, TRUTH, label_all_classes, open_clusters, write_clusters


def accuracy(studio: Studio) -> float:
    return float((studio.now.predictions.classes == TRUTH).mean())


def test_labels_spread_from_none_on(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    assert (studio.now.predictions.classes == -1).all()
    assert (studio.now.predictions.certainty == 0).all()
    done = studio.do({"kind": "add_class", "name": "red", "selection": {"rows": [0]}})
    assert done.said == "Added the class red and labeled 1 point with it."
    assert studio.now.predictions.classes[0] == 0
    label_all_classes_but_first(studio)
    assert accuracy(studio) > 0.95
    assert studio.now.version == 3
    studio.close()


def label_all_classes_but_first(studio: Studio) -> None:
    for one, name in ((1, "green"), (2, "blue")):
        rows = {"rows": [one * N_EACH]}
        studio.do({"kind": "add_class", "name": name, "selection": rows})


def test_undo_goes_back_to_nothing_and_redo_to_all(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    label_all_classes(studio)
    whole = studio.now
    for _ in range(3):
        studio.do({"kind": "undo"})
    assert (studio.now.predictions.classes == -1).all()
    assert studio.now.state.classes == {}
    assert studio.do({"kind": "undo"}).said == "There is nothing to undo."
    assert studio.now.redo == "add the class red and label 1 point with it"
    said = [studio.do({"kind": "redo"}).said for _ in range(3)]
    assert said[-1] == "Redone: add the class blue and label 1 point with it."
    assert studio.do({"kind": "redo"}).said == "There is nothing to redo."
    assert (studio.now.predictions.classes == whole.predictions.classes).all()
    assert (
        np.abs(studio.now.predictions.probabilities - whole.predictions.probabilities).max() < 1e-6
    )
    studio.close()


def test_reopening_gives_the_same_state(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    label_all_classes(studio, 2)
    studio.do({"kind": "skip", "selection": {"rows": [5]}})
    before = studio.now
    studio.close()
    again = Studio.open(Source(tmp_path / "points.npz.studio.sqlite"))
    assert (again.now.state.answers == before.state.answers).all()
    assert again.now.state.classes == before.state.classes
    assert (again.now.predictions.classes == before.predictions.classes).all()
    assert (again.now.version, again.now.undo) == (before.version, before.undo)
    again.close()


def test_renaming_learns_nothing_anew(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    label_all_classes(studio)
    before = studio.now
    studio.do({"kind": "rename_class", "class": 0, "name": "scarlet"})
    assert studio.now.model is before.model
    assert studio.now.state.classes[0].name == "scarlet"
    points = studio.now.model.solution_.points
    studio.do({"kind": "merge_classes", "from": 0, "into": 1})
    assert studio.now.model.solution_.points is points
    assert (studio.now.predictions.classes[:N_EACH] == 1).mean() > 0.95
    studio.close()


def test_none_of_these_spreads_as_a_class_does(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    label_all_classes(studio)
    studio.do({"kind": "delete_class", "class": 2})
    studio.do({"kind": "none", "selection": {"rows": [2 * N_EACH]}})
    assert (studio.now.predictions.classes[2 * N_EACH :] == -2).mean() > 0.95
    studio.do({"kind": "unlabel", "selection": {"rows": [2 * N_EACH]}})
    assert not (studio.now.predictions.classes == -2).any()
    studio.close()


def test_a_lasso_labels_all_those_that_agree_or_say_most(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    label_all_classes(studio)
    _ = list(studio.settle(every=1000))
    whole = {"rows": list(range(studio.n_points))}
    agreeing = {"kind": "label", "class": 1, "selection": whole, "which": "agreeing"}
    n_agreeing = int((studio.now.predictions.classes == 1).sum())
    studio.do(agreeing)
    assert int((studio.now.state.answers == 1).sum()) == n_agreeing
    studio.do({"kind": "undo"})
    studio.do({"kind": "label", "class": 1, "selection": whole, "which": "informative"})
    assert int((studio.now.state.answers == 1).sum()) == 11
    studio.do({"kind": "undo"})
    studio.do({"kind": "label", "class": 1, "selection": whole, "which": "all"})
    assert (studio.now.state.answers == 1).all()
    studio.close()


def test_the_map_does_not_move_with_labels(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    rounds = list(studio.settle(every=100))
    assert rounds[-1][0] == rounds[-1][1]
    assert set(studio.maps.places) == {"after", "before"}
    places = studio.maps.places["after"].copy()
    label_all_classes(studio)
    assert (studio.maps.places["after"] == places).all()
    studio.close()


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ({}, "`kind` must be one of label, add_class"),
        ({"kind": 3}, "`kind` must be one of label"),
        ({"kind": "label", "class": 9, "selection": {"rows": [0]}}, "a class that is there, got 9"),
        ({"kind": "label", "class": 0}, "`selection` must be an object"),
        (
            {"kind": "label", "class": 0, "selection": {"rows": [0]}, "which": "some"},
            "`which` must be all, agreeing or informative, got str. Reload the page.",
        ),
        ({"kind": "add_class"}, "The name of a class must be a text"),
        ({"kind": "merge_classes", "from": 0, "into": None}, "`into` must be a class"),
    ],
)
def test_what_is_refused_changes_nothing(
    tmp_path: Path, command: dict[str, Any], sentence: str
) -> None:
    studio = open_clusters(tmp_path)
    label_all_classes(studio)
    before = studio.now
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        studio.do(command)
    assert sentence in str(refused.value)
    assert studio.now is before
    assert studio.storage.version == before.version
    studio.close()


def test_copies_with_labels_of_two_classes_are_refused_before_they_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "points.npz"
    points = np.random.default_rng(0).normal(size=(30, 4))
    points[1] = points[0]
    np.savez(path, features=points)
    studio = Studio.open(Source(path))
    studio.do({"kind": "add_class", "name": "a", "selection": {"rows": [0]}})
    with pytest.raises(ValueError, match="different ones for rows"):
        studio.do({"kind": "add_class", "name": "b", "selection": {"rows": [1]}})
    assert studio.storage.version == 1
    studio.close()


def test_labels_of_the_data_are_taken_once(tmp_path: Path) -> None:
    path = write_clusters(tmp_path)
    arrays = dict(np.load(path))
    labels = np.full(3 * N_EACH, "", dtype="U5")
    labels[[0, N_EACH]] = ["red", "green"]
    np.savez(path, **arrays, labels=labels)
    studio = Studio.open(Source(path))
    assert studio.now.undo == "take the answers of 2 points from the data"
    studio.do({"kind": "undo"})
    studio.close()
    studio = Studio.open(Source(path))
    assert studio.now.undo is None
    studio.close()


def test_a_table_whose_labels_are_all_known(tmp_path: Path) -> None:
    path = write_clusters(tmp_path)
    labels = np.repeat(["red", "green", "blue"], N_EACH)
    np.savez(path, **dict(np.load(path)), labels=labels)
    studio = Studio.open(Source(path))
    assert (studio.now.state.answers >= 0).all()
    studio.close()


def test_a_disk_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    studio = open_clusters(tmp_path)
    label_all_classes(studio)
    before = studio.now

    def fail(*_: object) -> int:
        raise OSError("No space left on device")

    monkeypatch.setattr(studio.storage, "record", fail)
    with pytest.raises(OSError, match="No space"):
        studio.do({"kind": "skip", "selection": {"rows": [7]}})
    assert studio.now is before
    studio.close()
