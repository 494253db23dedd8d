from pathlib import Path

import numpy as np

from diffresnet.studio.answering import (
    describe_selection,
    done_frame,
    items_of,
    map_frame,
    points_frame,
    project_of,
    state_frame,
)
from diffresnet.studio.frames import decode_frame
from tests.studio.studios import N_EACH, label_all_classes, open_clusters


def test_a_gesture_is_answered_by_what_changed(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    label_all_classes(studio, 4)
    done = studio.do({"kind": "skip", "selection": {"rows": [20]}})
    header, arrays = decode_frame(done_frame(studio, done))
    assert header["said"] == "Skipped 1 point."
    assert header["is_first"] is False
    assert arrays["rows"].tolist() == []
    assert arrays["skipped"].tolist() == [20]
    assert arrays["labeled"].tolist() == [0, 1, 2, 3, 30, 31, 32, 33, 60, 61, 62, 63]
    assert arrays["given"].tolist() == [0] * 4 + [1] * 4 + [2] * 4
    studio.close()


def test_a_first_look_says_that_it_is_one(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    label_all_classes(studio, 2)
    command = {"kind": "label", "class": 2, "selection": {"rows": [2 * N_EACH + 9]}}
    header, _ = decode_frame(done_frame(studio, studio.do(command, is_hasty=True)))
    assert header["is_first"] is True
    for frame in (points_frame(studio), state_frame(studio)):
        assert decode_frame(frame)[0]["is_first"] is True
    assert items_of(studio, np.array([4]))[0]["second"] is None
    studio.keep(studio.finish(studio.now))
    header, arrays = decode_frame(state_frame(studio))
    assert header["is_first"] is False
    assert header["project"]["version"] == header["version"] == 4
    assert len(arrays["predicted"]) == 3 * N_EACH
    assert "rows" not in arrays
    assert items_of(studio, np.array([4]))[0]["second"] is not None
    studio.close()


def test_frames_add_up_to_the_state(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    _, seen = decode_frame(state_frame(studio))
    predicted, certainty = seen["predicted"].copy(), seen["certainty"].copy()
    rng = np.random.default_rng(0)
    for one, name in enumerate(("a", "b", "c")):
        studio.do({"kind": "add_class", "name": name})
        for row in rng.choice(np.arange(N_EACH * one, N_EACH * (one + 1)), 3).tolist():
            command = {"kind": "label", "class": one, "selection": {"rows": [row]}}
            _, arrays = decode_frame(done_frame(studio, studio.do(command, is_hasty=True)))
            rows = arrays.get("rows", np.arange(len(predicted)))
            predicted[rows], certainty[rows] = arrays["predicted"], arrays["certainty"]
    _, whole = decode_frame(state_frame(studio))
    assert (predicted == whole["predicted"]).all()
    assert (certainty == whole["certainty"]).all()
    studio.close()


def test_the_project_counts(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    label_all_classes(studio, 2)
    project = project_of(studio)
    assert [one["n_labels"] for one in project["classes"]] == [2, 2, 2]
    assert sum(one["n_predicted"] for one in project["classes"]) == 3 * N_EACH
    assert project["undo"] == "add the class blue and label 2 points with it"
    assert len(project["colors"]) >= 12
    studio.close()


def test_a_selection_in_words(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    rows = np.arange(N_EACH)
    assert describe_selection(studio, rows)["said"] == "30 points: 30 unreached"
    label_all_classes(studio, 2)
    told = describe_selection(studio, rows)
    assert told["n"] == N_EACH
    assert told["n_labeled"] == 2
    assert told["by_class"][0]["class"] == 0
    assert told["said"].startswith("30 points: ")
    assert describe_selection(studio, rows[:0])["said"] == "0 points"
    studio.close()


def test_maps_come_with_the_points_or_alone(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    header, arrays = decode_frame(map_frame(studio))
    assert sorted(arrays) == ["before", "xy"]
    assert "project" not in header
    header, arrays = decode_frame(points_frame(studio))
    assert {"before", "xy", "predicted", "labeled"} <= set(arrays)
    assert header["project"]["version"] == 0
    studio.close()
