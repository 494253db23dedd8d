"""Points that are selected: by row, or by polygons drawn on a map."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np
import numpy.typing as npt

from diffresnet._support.checks import refuse

Rows = npt.NDArray[np.int64]
Places = npt.NDArray[np.float32]
Mode: TypeAlias = Literal["replace", "add", "remove"]
MapName: TypeAlias = Literal["after", "before"]

MOST_CORNERS = 10_000
MOST_ROWS = 100_000
"""Of a list; more points are selected by polygons."""

MOST_CROSSED = 2_000_000_000
"""Pairs of a point and an edge at its height, of one polygon."""


class PlaneIndex:
    """Places of a map in order of their heights, which makes polygons fast.

    Args:
        places: (N, 2).
    """

    def __init__(self, places: Places) -> None:
        heights = np.asarray(places[:, 1], dtype=np.float64)
        self.order = np.argsort(heights, kind="stable")
        self.heights = heights[self.order]
        self.sides = np.asarray(places[:, 0], dtype=np.float64)[self.order]

    def inside(self, polygon: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
        """Tell which places are inside of a polygon, (N,), by the even-odd rule.

        A place is inside if a ray from it to the right crosses an odd number of edges.

        Args:
            polygon: (m, 2) its corners; the last one is joined with the first.
        """
        starts, ends = np.roll(polygon, 1, axis=0), polygon
        low = np.minimum(starts[:, 1], ends[:, 1])
        high = np.maximum(starts[:, 1], ends[:, 1])
        first = np.searchsorted(self.heights, low, side="left")
        last = np.searchsorted(self.heights, high, side="left")
        if int((last - first).sum()) > MOST_CROSSED:
            remedy = "Draw it with fewer corners."
            refuse("The polygon", "simple enough to be looked at", "one that is not", remedy)
        is_in = np.zeros(len(self.heights), dtype=bool)
        for (ax, ay), (bx, by), begin, end in zip(starts, ends, first, last, strict=True):
            if begin < end:
                here = slice(begin, end)
                crossing = (bx - ax) * (self.heights[here] - ay) / (by - ay) + ax
                is_in[here] ^= self.sides[here] < crossing
        found = np.empty_like(is_in)
        found[self.order] = is_in
        return found


def find_rows(given: Any, maps: Mapping[MapName, PlaneIndex], n_points: int) -> Rows:
    """Return the rows of a selection, in order.

    Args:
        given: ``{"rows": [...]}``, or ``{"steps": [...]}`` with a mode and either rows or a polygon
            and its map each, as a page sends it.
        maps: of the points, by name.
        n_points: N.

    Raises:
        ValueError: if it is something else.
    """
    if not isinstance(given, dict) or len(set(given) & {"rows", "steps"}) != 1:
        refuse("`selection`", "an object with `rows` or `steps`", _kind(given), "Select points.")
    if "rows" in given:
        return np.unique(check_rows(given["rows"], n_points))
    steps = given["steps"]
    if not isinstance(steps, list) or len(steps) > MOST_CORNERS:
        refuse("`steps`", f"a list of up to {MOST_CORNERS:,}", _kind(steps), "Select anew.")
    chosen = np.zeros(n_points, dtype=bool)
    for step in cast("list[Any]", steps):
        mode = step.get("mode", "replace") if isinstance(step, dict) else None
        if mode not in get_args(Mode):
            refuse("`mode`", "replace, add or remove", _kind(mode), "Choose one of these.")
        own = _find_step(step, maps, n_points)
        kept = chosen & ~own if mode == "remove" else own
        chosen = chosen | own if mode == "add" else kept
    return np.flatnonzero(chosen)


def check_rows(given: Any, n_points: int) -> Rows:
    """Return row numbers that were given, or raise."""
    must = f"a list of up to {MOST_ROWS:,} row numbers below {n_points}"
    remedy = "Reload the page."
    if not isinstance(given, list) or len(cast("list[Any]", given)) > MOST_ROWS:
        refuse("`rows`", must, _kind(given), remedy)
    listed = cast("list[Any]", given)
    if not all(type(row) is int and 0 <= row < n_points for row in listed):
        refuse("`rows`", must, "others", remedy)
    return np.array(listed, dtype=np.int64)


def _find_step(
    step: dict[str, Any], maps: Mapping[MapName, PlaneIndex], n_points: int
) -> npt.NDArray[np.bool_]:
    if "rows" in step:
        own = np.zeros(n_points, dtype=bool)
        own[check_rows(step["rows"], n_points)] = True
        return own
    name = step.get("map", "after")
    if not isinstance(name, str) or name not in maps:
        refuse("`map`", f"one of {', '.join(maps)}", _kind(name), "Choose one of these.")
    return maps[cast("MapName", name)].inside(check_polygon(step.get("polygon")))


def check_polygon(given: Any) -> npt.NDArray[np.float64]:
    """Return the corners of a polygon that was given, (m, 2), or raise."""
    must = f"3 to {MOST_CORNERS:,} corners [x, y] of finite numbers"
    corners = cast("list[Any]", given) if isinstance(given, list) else []
    is_good = 3 <= len(corners) <= MOST_CORNERS and all(
        isinstance(corner, list)
        and len(cast("list[Any]", corner)) == 2
        and all(type(one) in (int, float) and abs(one) < 1e9 for one in cast("list[Any]", corner))
        for corner in corners
    )
    if not is_good:
        refuse("`polygon`", must, _kind(given), "Draw it again.")
    return np.array(corners, dtype=np.float64)


def _kind(given: object) -> str:
    if isinstance(given, list):
        return f"a list of {len(cast('list[Any]', given)):,}"
    return repr(given) if isinstance(given, str | int | float | None) else type(given).__name__
