from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diffresnet.studio import first_look
from diffresnet.studio.first_look import rows_in_view
from diffresnet.studio.predictions import to_labels
from tests.studio.studios import N_EACH, label_all_classes, open_clusters

PLACES: Any = {"after": np.stack([np.arange(10.0), np.zeros(10)], axis=1).astype(np.float32)}


def test_all_of_few_points_are_looked_at() -> None:
    assert rows_in_view(None, PLACES, 10) is None
    assert rows_in_view({"map": "after", "box": [0, 0, 1, 1]}, PLACES, 10) is None


def test_of_many_those_in_view_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_look, "LARGEST_WHOLE", 5)
    monkeypatch.setattr(first_look, "N_LOOKED_AT", 4)
    found = rows_in_view({"map": "after", "box": [2.5, -1, 6, 1]}, PLACES, 10)
    assert found is not None
    assert found.tolist() == [3, 4, 5, 6]
    everywhere = rows_in_view(None, PLACES, 10)
    assert everywhere is not None
    assert everywhere.tolist() == [0, 3, 6, 9]
    nowhere = rows_in_view({"map": "after", "box": [20, 20, 30, 30]}, PLACES, 10)
    assert nowhere is not None
    assert len(nowhere) == 0


@pytest.mark.parametrize(
    "given",
    [3, "after", {}, {"map": "after"}, {"map": "x", "box": [0, 0, 1, 1]}]
    + [
        {"map": "after", "box": box}
        for box in ([0, 0, 1], "0011", [0, 0, 1, None], [0, 0, 1, 1e99])
    ],
)
def test_other_views_are_refused(given: object) -> None:
    must = r"`view` must be a map and a box \[left, low, right, high\], got \w+. Reload the page."
    with pytest.raises(ValueError, match=must):
        rows_in_view(given, PLACES, 10)


def test_a_hasty_answer_is_nearly_the_whole_one(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    label_all_classes(studio, 2)
    command = {"kind": "label", "class": 1, "selection": {"rows": [N_EACH + 7]}}
    done = studio.do(command, is_hasty=True)
    first = done.after
    assert not first.is_learned
    assert first.pending.tolist() == [N_EACH + 7]
    assert first.model is done.before.model
    assert studio.storage.version == first.version  # it is on the disk
    whole = studio.finish(first)
    assert whole.is_learned
    assert (whole.predictions.classes == first.predictions.classes).mean() > 0.95
    assert whole.model.encoded_labels_[N_EACH + 7] >= 0
    studio.keep(whole)
    assert studio.now is whole
    studio.close()


def test_hasty_answers_add_up_and_can_be_taken_back(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    label_all_classes(studio, 2)
    learned = studio.now
    rows = [7, N_EACH + 7, 2 * N_EACH + 7]
    for one, row in enumerate(rows):
        command = {"kind": "label", "class": one, "selection": {"rows": [row]}}
        studio.do(command, is_hasty=True)
    assert studio.now.pending.tolist() == rows
    old = studio.finish(studio.now)
    for _ in rows:
        studio.do({"kind": "undo"}, is_hasty=True)
    assert studio.now.is_learned
    assert (studio.now.predictions.classes == learned.predictions.classes).all()
    studio.keep(old)  # of answers that are no longer there
    assert studio.now is not old
    for _ in rows:
        studio.do({"kind": "redo"}, is_hasty=True)
    again = studio.finish(studio.now)
    assert (again.predictions.classes == old.predictions.classes).all()
    assert (to_labels(again.state.answers[rows]) == [0, 1, 2]).all()
    studio.close()


def test_a_new_class_is_learned_at_once(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    label_all_classes(studio, 2)
    command = {"kind": "add_class", "name": "new", "selection": {"rows": [5]}}
    assert studio.do(command, is_hasty=True).after.is_learned
    studio.close()


def test_those_that_agree_are_asked_of_what_is_learned(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    label_all_classes(studio, 2)
    command = {"kind": "label", "class": 1, "selection": {"rows": [N_EACH + 7]}}
    studio.do(command, is_hasty=True)
    rows = {"rows": list(range(10))}
    agreeing = {"kind": "label", "class": 0, "selection": rows, "which": "agreeing"}
    done = studio.do(agreeing, is_hasty=True)
    assert N_EACH + 7 not in done.after.pending
    assert done.after.model is not done.before.model or done.before.is_learned
    studio.close()


def test_of_many_points_the_others_stay_until_they_are_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_look, "LARGEST_WHOLE", 5)
    studio = open_clusters(tmp_path)
    label_all_classes(studio, 1)
    box = [-1e9, -1e9, -1e8, -1e8]  # nothing is there
    view = {"map": "after", "box": box}
    command = {"kind": "label", "class": 2, "selection": {"rows": [40]}, "view": view}
    done = studio.do(command, is_hasty=True)
    before, after = done.before.predictions, done.after.predictions
    changed = np.flatnonzero(before.classes != after.classes)
    assert changed.tolist() == [40]
    assert after.classes[40] == 2
    assert after.probabilities[40] == 1
    studio.close()
