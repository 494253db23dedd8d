import math
from typing import Any

import numpy as np
import pytest

from diffresnet.studio.selection import PlaneIndex, check_polygon, find_rows

SQUARE = [[-1, -1], [1, -1], [1, 1], [-1, 1]]


def is_inside(polygon: list[list[float]], x: float, y: float) -> bool:
    """The even-odd rule as the page has it, a place at a time."""
    inside = False
    for at in range(len(polygon)):
        (ax, ay), (bx, by) = polygon[at - 1], polygon[at]
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            inside = not inside
    return inside


@pytest.mark.parametrize("seed", range(5))
def test_polygons_agree_with_the_plain_rule(seed: int) -> None:
    rng = np.random.default_rng(seed)
    places = rng.uniform(-1, 1, size=(500, 2)).round(1).astype(np.float32)  # many on edges
    polygon = rng.uniform(-1, 1, size=(rng.integers(3, 40), 2)).round(1)
    expected = [is_inside(polygon.tolist(), float(x), float(y)) for x, y in places]
    assert PlaneIndex(places).inside(polygon).tolist() == expected


def test_a_star_has_a_hole_by_the_even_odd_rule() -> None:
    tips = [[math.sin(4 * math.pi * k / 5), math.cos(4 * math.pi * k / 5)] for k in range(5)]
    found = PlaneIndex(np.array([[0, 0], [0, 0.8]], dtype=np.float32)).inside(np.array(tips))
    assert found.tolist() == [False, True]


def test_steps_add_and_take_away() -> None:
    places = np.array([[-0.5, 0], [0.5, 0], [3, 0]], dtype=np.float32)
    maps: Any = {"after": PlaneIndex(places), "before": PlaneIndex(-places)}
    left = [[-1, -1], [0, -1], [0, 1], [-1, 1]]

    def rows(*steps: Any) -> list[int]:
        return find_rows({"steps": list(steps)}, maps, 3).tolist()

    whole = {"mode": "replace", "polygon": SQUARE}
    assert rows(whole) == [0, 1]
    assert rows(whole, {"mode": "remove", "polygon": left}) == [1]
    assert rows(whole, {"mode": "add", "rows": [2]}) == [0, 1, 2]
    assert rows(whole, {"mode": "replace", "polygon": left, "map": "before"}) == [1]
    assert rows() == []
    assert find_rows({"rows": [2, 0, 2]}, maps, 3).tolist() == [0, 2]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (None, "`selection` must be an object with `rows` or `steps`, got None. Select points."),
        ({"rows": [], "steps": []}, "`selection` must be an object with `rows` or `steps`"),
        ({"rows": [3]}, "`rows` must be a list of up to 100,000 row numbers below 3, got others."),
        ({"rows": [True]}, "`rows` must be a list"),
        ({"rows": ["../etc"]}, "`rows` must be a list"),
        ({"rows": [0] * 100_001}, "got a list of 100,001. Reload the page."),
        ({"steps": 3}, "`steps` must be a list of up to 10,000, got 3."),
        ({"steps": [3]}, "`mode` must be replace, add or remove, got None."),
        ({"steps": [{"mode": "all"}]}, "`mode` must be replace, add or remove, got 'all'."),
        ({"steps": [{"map": "moon"}]}, "`map` must be one of after, got 'moon'. Choose one"),
        ({"steps": [{"polygon": [[0, 0]]}]}, "`polygon` must be 3 to 10,000 corners"),
    ],
)
def test_other_selections_are_refused(given: Any, sentence: str) -> None:
    maps: Any = {"after": PlaneIndex(np.zeros((3, 2), dtype=np.float32))}
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        find_rows(given, maps, 3)
    assert sentence in str(refused.value)


@pytest.mark.parametrize("corner", [[0], [0, "a"], [0, math.inf], [0, math.nan], [0, None], 3])
def test_corners_are_finite_numbers(corner: Any) -> None:
    with pytest.raises(ValueError, match="corners"):
        check_polygon([*SQUARE, corner])


def test_polygons_that_would_take_minutes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diffresnet.studio.selection.MOST_CROSSED", 10)
    plane = PlaneIndex(np.zeros((20, 2), dtype=np.float32))
    with pytest.raises(ValueError, match="must be simple enough"):
        plane.inside(np.array(SQUARE, dtype=np.float64))
