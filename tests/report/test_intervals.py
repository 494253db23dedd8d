import pytest

from diffresnet.report.intervals import draw_intervals
from diffresnet.report.panels import PictureFormat

FIRST = {"a": (50.0, 1.0), "b": (60.0, 2.0)}
SECOND = {"a": (40.0, 1.0), "b": (70.0, 2.0)}


@pytest.mark.parametrize(("kind", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml version")])
def test_draws_a_picture(kind: PictureFormat, start: bytes) -> None:
    pytest.importorskip("matplotlib")
    panels = {"1 shot": {"x": FIRST, "y": SECOND}, "5 shots": {"x": SECOND, "y": FIRST}}
    assert draw_intervals(panels, kind).startswith(start)


def test_series_and_intervals_are_drawn() -> None:
    pytest.importorskip("matplotlib")
    wide = {name: (mean, 5.0) for name, (mean, _) in FIRST.items()}
    pictures = [
        draw_intervals({"1 shot": series})
        for series in ({"x": FIRST}, {"x": wide}, {"x": FIRST, "y": SECOND})
    ]
    assert len(set(pictures)) == 3
