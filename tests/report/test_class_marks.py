import numpy as np

from diffresnet.report.class_marks import (
    COLORS,
    MAX_COLORS,
    choose_marks,
    color_style,
    draw_legend,
    star,
)


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


DICHROMATS = (
    ((0.3673, 0.8606, -0.228), (0.2801, 0.6725, 0.0474), (-0.0118, 0.0429, 0.9689)),
    ((0.1523, 1.0526, -0.2049), (0.1145, 0.7863, 0.0992), (-0.0039, -0.0481, 1.052)),
    ((1.2555, -0.0767, -0.1788), (-0.0784, 0.9308, 0.1476), (0.0047, 0.6914, 0.3039)),
)
"""How linear red, green and blue look without one kind of cone (Machado and others, 2009)."""

TO_XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))


def to_lab(linear: np.ndarray) -> np.ndarray:
    """Return linear colors (n, 3) in CIELAB."""
    parts = linear @ np.array(TO_XYZ).T / (0.9505, 1, 1.089)
    x, y, z = np.where(parts > 0.008856, np.cbrt(parts), 7.787 * parts + 16 / 116).T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=1)


def test_no_two_of_a_dozen_colors_look_alike_to_anyone() -> None:
    assert len(COLORS) == MAX_COLORS == 12
    shares = np.array([[int(one[at : at + 2], 16) for at in (1, 3, 5)] for one in COLORS]) / 255
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    seen = [linear, *(np.clip(linear @ np.array(one).T, 0, 1) for one in DICHROMATS)]
    for view in seen:
        lab = to_lab(view)
        far = np.linalg.norm(lab[:, None] - lab, axis=2)
        assert far[np.triu_indices(12, 1)].min() > 18
    bright = linear @ TO_XYZ[1]
    on_white, on_dark = 1.05 / (bright + 0.05), (bright + 0.05) / 0.0565
    assert on_white.min() > 1.7
    assert on_dark.min() > 2.5


def test_every_kind_has_its_color() -> None:
    assert f".k-11 {{ --k: {COLORS[11]}; }}" in color_style()
