from dataclasses import replace
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
    assert told["sentences"] == ["left out x"]
    assert told["needs"] is None
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


def test_enough_is_said_once() -> None:
    ahead = "Twice the labels would hardly help: some 91% would be right."
    outlook = Outlook(1, Expectation(0.9, 0.8, 0.95), enough=True, sentences=("a", ahead))
    state = State(np.array([0, -1], dtype=np.int32))
    told = Progress(state, np.array([True, False]), outlook).to_json()
    assert told["enough"] is True  # the page has a line for it
    assert told["sentences"] == ["No label reaches 1 point: label one of each island."]
    told = Progress(state, np.array([True, True]), replace(outlook, enough=False)).to_json()
    assert told["sentences"] == [ahead]


def test_without_a_label_nothing_is_enough(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    label_all_classes(studio, 6)
    studio.improve(replace(look_ahead(studio.now.model, studio.now.version), enough=True))
    assert studio.now.outlook.curve
    studio.do({"kind": "unlabel", "selection": {"rows": list(range(30, 66))}})
    assert studio.now.outlook == Outlook()
    studio.do({"kind": "undo"})
    studio.improve(replace(look_ahead(studio.now.model, studio.now.version), enough=True))
    for one in range(3):
        rows = list(range(30 * one + 1, 30 * one + 6))
        studio.do({"kind": "unlabel", "selection": {"rows": rows}})
    assert studio.now.outlook == Outlook()  # one label each: none can be held out
    studio.close()


def needs(*answers: int) -> str:
    given = np.array([*answers, -1], dtype=np.int32)
    state = State(given, {one: make_class(one, str(one), []) for one in range(3)}, 3)
    return Progress(state, given >= 0, Outlook()).to_json()["needs"]


def test_what_an_expectation_needs_is_said() -> None:
    assert needs() == needs(0, 0) == needs(-2) == "needs labels of two classes"
    assert needs(0, 1, 2) == needs(0, -2) == "needs a second label of a class"
    assert needs(0, 0, 1) == "needs more labels of a class"
    state = State(np.array([0, 0], dtype=np.int32), {0: make_class(0, "cat", [])}, 1)
    told = Progress(state, np.array([True, True]), Outlook()).to_json()
    assert told["needs"] == "every point has a label"


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
