from pathlib import Path

import numpy as np

from diffresnet.studio.classes import make_class
from diffresnet.studio.history import State
from diffresnet.studio.progress import Expectation, Outlook, Progress, expect, look_ahead
from tests.studio.studios import label_all_classes, open_clusters


def test_numbers_and_sentences(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    label_all_classes(studio)
    studio.do({"kind": "label", "class": 0, "selection": {"rows": [2]}})
    now = studio.now
    told = Progress(now.state, now.predictions.classes != -1, now.outlook, ["left out x"]).to_json()
    assert (told["n_labels"], told["n_points"], told["n_reached"]) == (4, 90, 90)
    assert told["lacking"] == [1, 2]
    assert (
        "Fewer than two labels: 'green', 'blue'. Another one each would help most."
        in (told["sentences"])
    )
    assert told["sentences"][-1] == "left out x"
    assert told["expected"]["low"] <= told["expected"]["accuracy"] <= told["expected"]["high"]
    studio.close()


def test_the_outlook_is_measured_and_kept_for_its_own_answers(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    assert expect(studio.now.model) is None
    assert look_ahead(studio.now.model, 5) == Outlook(5)
    label_all_classes(studio, 6)
    outlook = look_ahead(studio.now.model, studio.now.version)
    assert outlook.expected == expect(studio.now.model)
    assert [one.n_labels for one in outlook.curve] == sorted(one.n_labels for one in outlook.curve)
    assert outlook.curve[-1].n_labels == 18
    studio.improve(outlook)
    assert studio.now.outlook is outlook
    studio.do({"kind": "skip", "selection": {"rows": [20]}})
    studio.improve(outlook)
    assert studio.now.outlook is not outlook
    studio.close()


def test_enough_is_said() -> None:
    outlook = Outlook(1, Expectation(0.9, 0.8, 0.95), enough=True)
    state = State(np.array([0, -1], dtype=np.int32))
    told = Progress(state, np.array([True, False]), outlook).to_json()
    assert "More labels would hardly help now." in told["sentences"]
    assert (
        "About 90% of the points without a label are right (80 to 95%), as held-out labels say."
        in (told["sentences"])
    )
    assert "No label reaches 1 point: label one of each island." in told["sentences"]


def test_a_class_that_lacks_labels_is_not_enough() -> None:
    outlook = Outlook(1, Expectation(0.9, 0.8, 0.95), enough=True, sentences=("a", "hardly help"))
    classes = {0: make_class(0, "cat", [])}
    state = State(np.array([0, -1], dtype=np.int32), classes, 1)
    told = Progress(state, np.array([True, True]), outlook).to_json()
    assert told["lacking"] == [0]
    assert told["enough"] is False
    assert not any("hardly help" in one for one in told["sentences"])
    state = State(np.array([0, 0, -1], dtype=np.int32), classes, 1)
    told = Progress(state, np.array([True, True, True]), outlook).to_json()
    assert told["enough"] is True
    assert told["sentences"][-1] == "hardly help"
