import numpy as np

from diffresnet.report.class_marks import choose_marks
from diffresnet.report.classification.changes import changed_rows, show_changes
from diffresnet.report.classification.outcome import Outcome
from diffresnet.report.classification.page import make_report
from tests.report.fitted import ATTACK, fit_blobs, numbered


def outcome() -> Outcome:
    """Return five points: a label of cat, a sure dog, a doubtful dog, a cat, one out of reach."""
    probabilities = np.array([[1, 0], [0.1, 0.9], [0.4, 0.6], [0.8, 0.2], [0.5, 0.5]])
    return Outcome(
        ids=["a", "b", "c", "d", "e"],
        class_names=["cat", "dog"],
        marks=choose_marks(np.array([2, 2])),
        probabilities=probabilities,
        encoded=np.array([0, -1, -1, -1, -1]),
        reached=np.array([True, True, True, True, False]),
    )


def test_points_with_another_class_the_surest_first() -> None:
    since = {"a": "dog", "b": "cat", "c": "cat", "d": "cat", "e": "dog", "gone": "cat"}
    assert changed_rows(outcome(), since).tolist() == [0, 1, 2]
    assert changed_rows(outcome(), {"c": "", "b": "dog"}).tolist() == []


def test_what_is_said() -> None:
    since = {"b": "cat", "c": "cat", "d": "cat", "e": "dog", "gone": "cat"}
    shown = show_changes(outcome(), since)
    assert "2 of 4 points have another class now. 1 point came. 1 point went." in shown
    assert "<td>2</td>" in shown  # from cat to dog
    assert shown.index(">b</th>") < shown.index(">c</th>")
    assert "90%" in shown
    same = show_changes(outcome(), {"d": "cat"})
    assert "0 of 1 point have another class now." in same
    assert "<table" not in same


def test_the_page_has_it_where_there_was_an_earlier_run() -> None:
    model = fit_blobs(["cat", "dog", "eel"])
    ids = numbered(model)
    assert "Since the last run" not in make_report(model, ids, "Three").decode()
    since = dict.fromkeys(ids, ATTACK)
    page = make_report(model, ids, "Three", since=since).decode()
    assert "Since the last run" in page
    assert "36 of 36 points have another class now." in page
    assert ATTACK not in page
