"""A map of classified points as SVG, and what its script needs to know."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from diffresnet.report.class_marks import Mark, star
from diffresnet.report.layout import Floats, Layout

WIDTH, HEIGHT, MARGIN = 640, 600, 18
LEAST_OPACITY = 0.4
MANY_LABELS = 60
_HARMLESS = str.maketrans({mark: f"\\u{ord(mark):04x}" for mark in "<>&\u2028\u2029"})


@dataclass(frozen=True)
class MapPoint:
    """A point of the map.

    Attributes:
        name: its id.
        answer: its class and how sure that is, in words.
        mark: color and shape.
        sureness: from 0, as good as a guess, to 1.
        is_labeled: it is a star then.
        is_suggested: it has a ring then.
    """

    name: str
    answer: str
    mark: Mark
    sureness: float
    is_labeled: bool
    is_suggested: bool


def draw_map(points: Sequence[MapPoint], places: Floats, text: str) -> str:
    """Return the map as SVG: paths and rings, in the order of the points, labeled ones on top.

    Args:
        points: to draw.
        places: (n, 2), from -1 to 1.
        text: what the map shows, for those who cannot see it.
    """
    spots = to_pixels(places)
    order = sorted(range(len(points)), key=lambda which: points[which].is_labeled)
    tip = star(7 if sum(point.is_labeled for point in points) > MANY_LABELS else 11)
    paths = "\n".join(_draw_point(which, points[which], spots[which], tip) for which in order)
    rings = "\n".join(
        f'<circle class="ring" r="9" data-point="{which}" transform="{_move(spots[which])}"/>'
        for which in order
        if points[which].is_suggested
    )
    return (
        f'<svg id="map" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(text)}">\n'
        f'<g id="points">\n{paths}\n</g>\n<g>{rings}</g>\n'
        '<circle id="here" r="12" visibility="hidden"/>\n</svg>'
    )


def map_data(
    points: Sequence[MapPoint], layout: Layout, previews: Sequence[dict[str, str]] = ()
) -> dict[str, Any]:
    """Return what the script of the page reads: names, answers, kinds, looks, both sets of places.

    Args:
        points: to draw.
        layout: where.
        previews: what each looks like, a ``text`` or a ``picture``; none by default.
    """
    before = None if layout.before is None else to_pixels(layout.before)
    return {
        "names": [point.name for point in points],
        "answers": [point.answer for point in points],
        "kinds": [point.mark.kind for point in points],
        "previews": list(previews),
        "before": before,
        "after": to_pixels(layout.after),
    }


def to_script_json(data: object) -> str:
    """Return JSON that can stand inside a script element: no mark of it ends the element."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).translate(_HARMLESS)


def to_pixels(places: Floats) -> list[tuple[float, float]]:
    """Return places from -1 to 1 in the units of the picture."""
    half = np.array([WIDTH, HEIGHT]) / 2
    spots = half + places * np.array([1, -1]) * (half - MARGIN)
    return [(round(float(x), 1), round(float(y), 1)) for x, y in spots]


def _draw_point(which: int, point: MapPoint, spot: tuple[float, float], tip: str) -> str:
    name = f"point mark k-{point.mark.kind}" + (" labeled" if point.is_labeled else "")
    shape = tip if point.is_labeled else point.mark.shape
    opacity = LEAST_OPACITY + (1 - LEAST_OPACITY) * min(max(point.sureness, 0.0), 1.0)
    return (
        f'<path class="{name}" data-point="{which}" d="{shape}" opacity="{opacity:.2f}" '
        f'transform="{_move(spot)}"/>'
    )


def _move(spot: tuple[float, float]) -> str:
    return f"translate({spot[0]:g} {spot[1]:g})"
