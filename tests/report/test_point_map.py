import json

import numpy as np

from diffresnet.report.class_marks import choose_marks
from diffresnet.report.classification.outcome import Outcome
from diffresnet.report.classification.parts import map_points
from diffresnet.report.layout import Layout
from diffresnet.report.point_map import draw_map, map_data, to_script_json


def test_points_are_stars_rings_or_gray() -> None:
    outcome = Outcome(
        ["a", "b", "c"],
        ["x", "y"],
        choose_marks(np.array([1, 2])),
        np.array([[1.0, 0.0], [0.5, 0.5], [0.2, 0.8]]),
        encoded=np.array([0, -1, -1]),
        reached=np.array([True, False, True]),
    )
    points = map_points(outcome, np.arange(3), suggested=np.array([2]))
    places = np.array([[-1.0, 1.0], [0.0, 0.0], [1.0, -1.0]])
    drawing = draw_map(points, places, "<a map>")
    assert drawing.count('class="point') == 3
    assert drawing.count(" labeled") == 1
    assert drawing.count('class="ring"') == 1
    assert "k-unreached" in drawing
    assert 'aria-label="&lt;a map&gt;"' in drawing
    assert drawing.index('data-point="2"') < drawing.index('data-point="0"')
    data = map_data(points, Layout(np.arange(3), None, places))
    assert data["before"] is None
    assert data["kinds"] == ["0", "unreached", "1"]
    assert data["after"][1] == (320.0, 300.0)


def test_json_cannot_end_the_script() -> None:
    data = ["</script><!-- & \u2028\u2029 é"]
    text = to_script_json(data)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == data
