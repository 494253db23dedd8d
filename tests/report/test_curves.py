import sys

import numpy as np
import pytest

from diffresnet.report.curves import Curve, CurvePanel, accuracy_curve, draw_curves
from diffresnet.report.panels import PictureFormat

BAND = Curve("with a band", [0, 1, 2], [50, 60, 55], [1, 2, 3])
LINE = Curve("without", [0, 1, 2], [1e-3, 2e-3, 1.0])


@pytest.mark.parametrize(("kind", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml version")])
def test_draws_a_picture(kind: PictureFormat, start: bytes) -> None:
    pytest.importorskip("matplotlib")
    panel = CurvePanel("accuracy", "steps", "%", [BAND, LINE], (1.0, "the paper's"))
    assert draw_curves([panel, panel], kind).startswith(start)


def test_every_part_of_a_panel_is_drawn() -> None:
    pytest.importorskip("matplotlib")
    pictures = [
        draw_curves([panel])
        for panel in (
            CurvePanel("t", "x", "y", [LINE]),
            CurvePanel("t", "x", "y", [LINE], (1.0, "marked")),
            CurvePanel("t", "x", "y", [LINE], logarithmic=True),
            CurvePanel("t", "x", "y", [Curve("without", LINE.x, LINE.y, [0.1, 0.1, 0.1])]),
        )
    ]
    assert len(set(pictures)) == 4


def test_without_matplotlib_it_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ModuleNotFoundError, match=r"draw_curves needs .*diffresnet\[figures\]"):
        draw_curves([CurvePanel("t", "x", "y", [LINE])])


def test_a_curve_of_accuracies_has_their_means_and_intervals() -> None:
    curve = accuracy_curve("ours", {0: np.array([0.5, 0.5]), 2: np.array([0.25, 0.75])})
    assert (curve.x, list(curve.y)) == ([0, 2], [50, 50])
    assert curve.half_widths[0] == 0 < curve.half_widths[1]
