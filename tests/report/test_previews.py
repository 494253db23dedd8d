import numpy as np

from diffresnet.report.class_marks import choose_marks
from diffresnet.report.classification.outcome import Outcome, Preview
from diffresnet.report.previews import N_LETTERS, shorten, show_labeled, show_preview, to_data
from tests.report.fitted import ATTACK


def test_a_picture_is_inside_the_page() -> None:
    shown = show_preview(b"\xff\xd8abc", ATTACK)
    assert 'src="data:image/jpeg;base64,/9hhYmM="' in shown
    assert ATTACK not in shown


def test_a_text_is_shown_and_never_run() -> None:
    assert ATTACK not in show_preview(ATTACK, "")
    assert show_preview("short", "") == '<q class="preview">short</q>'
    long = show_preview("word " * 100, "")
    assert long.endswith("word…</q>")
    assert len(long) < 200


def test_the_first_labeled_items_of_each_class() -> None:
    previews: list[Preview] = [f"text {row}" for row in range(9)]
    outcome = Outcome(
        ids=[str(row) for row in range(9)],
        class_names=["cat", "dog", "eel"],
        marks=choose_marks(np.ones(3, dtype=np.int64)),
        probabilities=np.full((9, 3), 1 / 3),
        encoded=np.array([0] * 6 + [1, -1, -1]),
        reached=np.ones(9, dtype=bool),
        previews=previews,
    )
    shown = show_labeled(outcome)
    for text in ("cat", "dog", "text 0", "text 3", "and 2 more", "text 6"):
        assert text in shown
    for text in ("text 4", "text 7", "eel"):
        assert text not in shown


def test_long_texts_end_at_the_end_of_a_word() -> None:
    words = " ".join(["word"] * 100)
    assert shorten(words).endswith("word…")
    assert len(shorten("a" * 500)) == N_LETTERS
    assert shorten("short") == "short"
    assert to_data("short") == {"text": "short"}
