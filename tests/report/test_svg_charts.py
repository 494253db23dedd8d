from xml.etree import ElementTree as ET

from diffresnet.report.svg_charts import BOTTOM, LEFT, RIGHT, TOP, draw_curve, draw_histogram


def test_bars_are_as_high_as_their_counts() -> None:
    chart = ET.fromstring(draw_histogram([0, 5, 10, 0], "x < y", 'say "hi"'))  # noqa: S314  (ours)
    heights = [float(bar.attrib["height"]) for bar in chart.iter("rect")]
    assert heights == [0, (BOTTOM - TOP) / 2, BOTTOM - TOP, 0]
    assert chart.attrib["aria-label"] == 'say "hi"'
    assert "x < y" in [text.text for text in chart.iter("text")]
    assert [title.text for title in chart.iter("title")][1] == "25 to 50%: 5"


def test_an_empty_histogram_is_a_chart() -> None:
    assert "<svg" in draw_histogram([0, 0], "x", "none")


def test_a_curve_with_its_band_and_what_is_ahead() -> None:
    drawn = draw_curve(
        [(10, 0.6), (20, 0.8)], [(0.5, 0.7), (0.75, 0.85)], (40, 0.9), "labels", 'say "hi"'
    )
    chart = ET.fromstring(drawn)  # noqa: S314  (ours)
    assert chart.attrib["aria-label"] == 'say "hi"'
    dots = [(float(dot.attrib["cx"]), float(dot.attrib["cy"])) for dot in chart.iter("circle")]
    height = BOTTOM - TOP
    expected = [(0.25, 0.2), (0.5, 0.6), (1, 0.8)]  # of the width, and of the height from 50% on
    for (x, y), (part, up) in zip(dots, expected, strict=True):
        assert abs(x - LEFT - part * (RIGHT - LEFT)) < 0.1
        assert abs(y - BOTTOM + up * height) < 0.1
    assert [title.text for title in chart.iter("title")] == [
        "60% with 10",
        "80% with 20",
        "90% with 40",
    ]
    words = [text.text for text in chart.iter("text")]
    assert words == ["50%", "75%", "100%", "10", "20", "40", "labels"]


def test_a_curve_at_the_top_is_a_chart() -> None:
    assert "<svg" in draw_curve([(5, 1.0)], [(1.0, 1.0)], (10, 1.0), "labels", "all")
