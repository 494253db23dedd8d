from collections.abc import Callable

import numpy as np
import pytest

from diffresnet.studio import history
from diffresnet.studio.history import NONE_OF_THESE, NOT_ANSWERED, SKIPPED, Gesture, State

NOBODY = np.empty(0, dtype=np.int64)


def rows(*given: int) -> np.ndarray:
    return np.array(given, dtype=np.int64)


def started() -> State:
    """Return five points, two classes, and a label of each."""
    state = State(np.full(5, NOT_ANSWERED, dtype=np.int32))
    for name, row in (("cat", 0), ("dog", 1)):
        state = history.add_class(state, name, rows(row)).applied(state)
    return state


def same(one: State, other: State) -> bool:
    return bool((one.answers == other.answers).all()) and one.classes == other.classes


GESTURES: dict[str, Callable[[State], Gesture]] = {
    "label": lambda state: history.label(state, rows(1, 2, 3), 0),
    "none": lambda state: history.answer(state, rows(0, 4), "none"),
    "skip": lambda state: history.answer(state, rows(2), "skip"),
    "unlabel": lambda state: history.answer(state, rows(0, 1, 2), "unlabel"),
    "add_class": lambda state: history.add_class(state, "owl", rows(1, 2)),
    "rename_class": lambda state: history.rename_class(state, 0, "lion"),
    "mark_class": lambda state: history.mark_class(state, 0, "#ABCDEF", "2"),
    "merge_classes": lambda state: history.merge_classes(state, 0, 1),
    "delete_class": lambda state: history.delete_class(state, 1),
    "import": lambda state: history.take_labels(state, ["owl", "", "cat", "", ""], "a file"),
}


@pytest.mark.parametrize("kind", GESTURES)
def test_every_gesture_can_be_undone_and_redone(kind: str) -> None:
    before = started()
    gesture = GESTURES[kind](before)
    assert gesture.kind == kind
    after = gesture.applied(before)
    assert not same(before, after)
    assert same(gesture.reversed().applied(after), before)
    assert same(gesture.applied(gesture.reversed().applied(after)), after)


def test_what_was_done_is_told_in_the_past() -> None:
    state = started()
    told = {kind: history.report(make(state)) for kind, make in GESTURES.items()}
    assert told == {
        "label": "Labeled 3 points cat.",
        "none": "Said none of these of 2 points.",
        "skip": "Skipped 1 point.",
        "unlabel": "Took the label of 2 points away.",
        "add_class": "Added the class owl and labeled 2 points with it.",
        "rename_class": "Renamed cat to lion.",
        "mark_class": "Changed the color or key of cat.",
        "merge_classes": "Merged cat into dog.",
        "delete_class": "Deleted the class dog of 1 point.",
        "import": "Took the answers of 2 points from a file.",
    }
    odd = history.add_class(state, "here and label there", NOBODY)
    assert history.report(odd) == "Added the class here and label there."


def test_gestures_do_what_they_say() -> None:
    state = started()
    after = {kind: make(state).applied(state) for kind, make in GESTURES.items()}
    assert after["label"].answers.tolist() == [0, 0, 0, 0, -1]
    assert after["none"].answers.tolist() == [NONE_OF_THESE, 1, -1, -1, NONE_OF_THESE]
    assert after["skip"].answers.tolist() == [0, 1, SKIPPED, -1, -1]
    assert after["unlabel"].answers.tolist() == [-1] * 5
    assert after["add_class"].answers.tolist() == [0, 2, 2, -1, -1]
    assert after["rename_class"].classes[0].name == "lion"
    marked = after["mark_class"].classes
    assert (marked[0].color, marked[0].key, marked[1].key) == ("#abcdef", "2", "1")
    assert after["merge_classes"].answers.tolist() == [1, 1, -1, -1, -1]
    assert list(after["merge_classes"].classes) == [1]
    assert after["delete_class"].answers.tolist() == [0, -1, -1, -1, -1]
    assert list(after["delete_class"].classes) == [0]
    assert after["import"].answers.tolist() == [2, 1, 0, -1, -1]


def test_what_is_said() -> None:
    state = started()
    said = {kind: make(state).said for kind, make in GESTURES.items()}
    assert said == {
        "label": "label 3 points cat",
        "none": "say none of these of 2 points",
        "skip": "skip 1 point",
        "unlabel": "take the label of 2 points away",
        "add_class": "add the class owl and label 2 points with it",
        "rename_class": "rename cat to lion",
        "mark_class": "change the color or key of cat",
        "merge_classes": "merge cat into dog",
        "delete_class": "delete the class dog of 1 point",
        "import": "take the answers of 2 points from a file",
    }
    assert history.add_class(state, "owl", NOBODY).said == "add the class owl"


def test_numbers_of_classes_are_never_used_again() -> None:
    state = started()
    gone = history.delete_class(state, 1).applied(state)
    assert history.add_class(gone, "owl", NOBODY).classes.keys() == {2}
    undone = history.add_class(state, "owl", NOBODY)
    state = undone.reversed().applied(undone.applied(state))
    assert history.add_class(state, "emu", NOBODY).classes.keys() == {3}


def test_nothing_to_do_is_empty() -> None:
    state = started()
    assert history.label(state, rows(0), 0).is_empty
    assert history.rename_class(state, 0, "cat").is_empty
    assert history.mark_class(state, 0, state.classes[0].color, "1").is_empty
    assert history.merge_classes(state, 0, 0).is_empty
    assert history.take_labels(state, ["cat", "", "", "", ""], "a file").is_empty


def test_strange_names_of_files_become_classes() -> None:
    state = State(np.full(3, NOT_ANSWERED, dtype=np.int32))
    after = history.take_labels(state, ["a" * 500, "x\x1b[31m", " x  y "], "a file").applied(state)
    assert sorted(one.name for one in after.classes.values()) == [
        "a" * 200,
        "x y",
        "x\\x1b[31m",
    ]


def test_answers_that_are_no_class_come_as_labels_too() -> None:
    labels = ["None of these", "cat", "skipped", "", "", ""]
    state = State(np.full(6, NOT_ANSWERED, dtype=np.int32))
    after = history.take_labels(state, labels, "a file").applied(state)
    assert after.answers.tolist() == [NONE_OF_THESE, 0, SKIPPED, *[NOT_ANSWERED] * 3]
    assert [one.name for one in after.classes.values()] == ["cat"]
