import numpy as np

from diffresnet.report.class_marks import choose_marks, draw_legend, star


def test_up_to_twelve_classes_have_a_color_each() -> None:
    marks = choose_marks(np.arange(12))
    assert [mark.kind for mark in marks] == [str(which) for which in range(12)]
    assert marks[0].shape != marks[1].shape


def test_beyond_twelve_the_largest_have_colors() -> None:
    counts = np.arange(20)
    marks = choose_marks(counts)
    assert [mark.kind for mark in marks[:9]] == ["other"] * 9
    assert marks[19].kind == "0"
    assert marks[9].kind == "10"


def test_the_legend_names_every_mark_and_escapes() -> None:
    names = ["<b>"] + [f"class {which}" for which in range(19)]
    legend = draw_legend(names, choose_marks(20 - np.arange(20)), has_unreached=True)
    assert "&lt;b&gt;" in legend
    assert "<b>" not in legend
    assert "9 other classes" in legend
    assert "no label reaches it" in legend
    assert legend.count("<li>") == 13


def test_a_star_has_five_tips() -> None:
    assert star(11).startswith("M0.0 -11.0L")
    assert star(11).count("L") == 9
