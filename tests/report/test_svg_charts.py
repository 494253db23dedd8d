from xml.etree import ElementTree as ET

from diffresnet.report.svg_charts import BOTTOM, TOP, draw_histogram, draw_line


def test_bars_are_as_high_as_their_counts() -> None:
    chart = ET.fromstring(draw_histogram([0, 5, 10, 0], "x < y", 'say "hi"'))  # noqa: S314  (ours)
    heights = [float(bar.attrib["height"]) for bar in chart.iter("rect")]
    assert heights == [0, (BOTTOM - TOP) / 2, BOTTOM - TOP, 0]
    assert chart.attrib["aria-label"] == 'say "hi"'
    assert "x < y" in [text.text for text in chart.iter("text")]
    assert [title.text for title in chart.iter("title")][1] == "25 to 50%: 5"


def test_an_empty_histogram_is_a_chart() -> None:
    assert "<svg" in draw_histogram([0, 0], "x", "none")


def test_the_line_marks_the_chosen_setting() -> None:
    chart = ET.fromstring(draw_line({4.0: 0.9, 1.0: 0.5, 2.0: 0.7}, 4.0, "x", "t"))  # noqa: S314
    dots = list(chart.iter("circle"))
    assert [dot.attrib["class"] for dot in dots] == ["dot", "dot", "dot chosen"]
    heights = [float(dot.attrib["cy"]) for dot in dots]
    assert heights == sorted(heights, reverse=True)


def test_one_setting_is_a_line_too() -> None:
    assert "chosen" in draw_line({1.0: 0.5}, 1.0, "x", "t")
