import numpy as np
import pytest

from diffresnet.report.class_marks import choose_marks
from diffresnet.report.classification import parts
from diffresnet.report.classification.outcome import Outcome


@pytest.fixture
def outcome() -> Outcome:
    return Outcome(
        ids=["a", "b", "<c>", "d"],
        class_names=["cat", "<dog>"],
        marks=choose_marks(np.array([2, 1])),
        probabilities=np.array([[1.0, 0.0], [0.6, 0.4], [0.1, 0.9], [0.5, 0.5]]),
        encoded=np.array([0, -1, -1, -1]),
        reached=np.array([True, True, True, False]),
    )


def test_the_headline_counts_and_says_how_sure(outcome: Outcome) -> None:
    line = parts.headline(outcome)
    assert "4 points and 1 label, in 2 classes." in line
    assert "75% on average" in line
    assert "No label reaches 1 point." in line


def test_tables_escape_and_leave_unreached_points_open(outcome: Outcome) -> None:
    table = parts.point_table(outcome, np.array([2, 3]))
    assert "&lt;c&gt;" in table
    assert "&lt;dog&gt;" in table
    assert "<dog>" not in table
    assert "cat (10%)" in table
    assert "no label reaches it" in table
    assert "every point has a label" in parts.point_table(outcome, np.array([], dtype=np.int64))


def test_least_certain_points_are_reached_and_without_label(outcome: Outcome) -> None:
    assert parts.least_certain(outcome, 10).tolist() == [1, 2]
    assert parts.least_certain(outcome, 1).tolist() == [1]


def test_answers_in_words(outcome: Outcome) -> None:
    assert [parts.answer(outcome, row) for row in range(4)] == [
        "cat, label",
        "cat, 60%",
        "<dog>, 90%",
        "no label reaches it",
    ]
    assert [parts.say_probability(chance) for chance in (0.0, 0.001, 0.5, 0.999, 1.0)] == [
        "0%",
        "under 1%",
        "50%",
        "over 99%",
        "100%",
    ]


def test_bars_count_labels_and_points(outcome: Outcome) -> None:
    table = parts.class_bars(outcome)
    assert "<td>1</td><td>2</td>" in table
    assert "<td>0</td><td>1</td>" in table
    assert "width:50.0%" in table
    assert "1 of 2 points without a label are 90% sure or more." in parts.histogram(outcome)
