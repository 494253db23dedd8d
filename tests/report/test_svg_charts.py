from xml.etree import ElementTree as ET

from diffresnet.report.svg_charts import BOTTOM, TOP, draw_histogram


def test_bars_are_as_high_as_their_counts() -> None:
    chart = ET.fromstring(draw_histogram([0, 5, 10, 0], "x < y", 'say "hi"'))  # noqa: S314  (ours)
    heights = [float(bar.attrib["height"]) for bar in chart.iter("rect")]
    assert heights == [0, (BOTTOM - TOP) / 2, BOTTOM - TOP, 0]
    assert chart.attrib["aria-label"] == 'say "hi"'
    assert "x < y" in [text.text for text in chart.iter("text")]
    assert [title.text for title in chart.iter("title")][1] == "25 to 50%: 5"


def test_an_empty_histogram_is_a_chart() -> None:
    assert "<svg" in draw_histogram([0, 0], "x", "none")
