import json

import numpy as np

from diffresnet.report.class_marks import choose_marks
from diffresnet.report.layout import Layout
from diffresnet.report.point_map import draw_map, make_points, map_data, to_script_json


def test_points_are_stars_rings_or_gray() -> None:
    probabilities = np.array([[1.0, 0.0], [0.5, 0.5], [0.2, 0.8]])
    points = make_points(
        np.arange(3),
        ["a", "b", "c"],
        ["x", "y", "z"],
        choose_marks(np.array([1, 2])),
        probabilities,
        labeled=np.array([0]),
        suggested=np.array([2]),
        reached=[True, False, True],
    )
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
