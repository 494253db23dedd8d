"""A color and a shape for each class, told apart without seeing color."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import numpy.typing as npt

CIRCLE = "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z"
SHAPES = (CIRCLE, "M-3.5-3.5h7v7h-7z", "M0-4.8L4.5 3.4H-4.5z", "M0-5L4.5 0L0 5L-4.5 0z")
LONG_NAME = 12
COLORS = (
    *("#2755aa", "#eaa10d", "#0a8656", "#ae317d", "#809afd", "#d1b25e"),
    *("#6e39dd", "#9c7c06", "#b08cca", "#fd5f7d", "#0ec5ac", "#645708"),
)
"""Of the classes, on light and dark pages: found by a search for those that are the farthest apart
(in CIELAB) for all kinds of color vision."""

MAX_COLORS = len(COLORS)


@dataclass(frozen=True)
class Mark:
    """How the points of a class look.

    Attributes:
        kind: "0" to "11", ``"other"`` or ``"unreached"``; the style sheet gives it a color.
        shape: outline of a point around the origin, as the data of an SVG path.
    """

    kind: str
    shape: str

    def to_html(self, name: str) -> str:
        """Return a small picture and a name after it."""
        path = f'<path class="mark k-{self.kind}" d="{self.shape}"/>'
        picture = f'<svg class="swatch" viewBox="-7 -7 14 14" aria-hidden="true">{path}</svg>'
        return f'<span class="tag">{picture}<span>{escape(name)}</span></span>'


UNREACHED_MARK = Mark("unreached", CIRCLE)
OTHER_MARK = Mark("other", CIRCLE)


def choose_marks(counts: npt.NDArray[np.int64]) -> tuple[Mark, ...]:
    """Return the mark of each class.

    Up to 12 classes have one each. Of more, the 11 largest have, and the others share one.

    Args:
        counts: (K,) how many points each class has.
    """
    own = list(range(len(counts)))
    if len(counts) > MAX_COLORS:
        own = np.argsort(-counts, kind="stable")[: MAX_COLORS - 1].tolist()
    marks = [OTHER_MARK] * len(counts)
    for place, which in enumerate(own):
        marks[which] = Mark(str(place), SHAPES[place % len(SHAPES)])
    return tuple(marks)


def draw_legend(names: Sequence[str], marks: Sequence[Mark], *, has_unreached: bool) -> str:
    """Return a list of buttons, one a mark; a button shows its points alone."""
    own = [(mark, name) for mark, name in zip(marks, names, strict=True) if mark != OTHER_MARK]
    entries = sorted(own, key=lambda entry: int(entry[0].kind))
    if len(own) < len(names):
        entries.append((OTHER_MARK, f"{len(names) - len(own)} other classes"))
    if has_unreached:
        entries.append((UNREACHED_MARK, "no label reaches it"))
    items = "\n".join(
        f'<li><button type="button" aria-pressed="false" data-kind="{mark.kind}">'
        f"{mark.to_html(name)}</button></li>"
        for mark, name in entries
    )
    has_long = any(len(name) > LONG_NAME for _, name in entries)
    return f'<ul class="legend{" long" if has_long else ""}" aria-label="Classes">\n{items}\n</ul>'


def color_style() -> str:
    """Return the style sheet that gives each kind of mark its color."""
    kinds = [f".k-{place} {{ --k: {color}; }}" for place, color in enumerate(COLORS)]
    return "\n".join(kinds) + "\n"


def star(radius: float) -> str:
    """Return the outline of a star with five tips."""
    tips = [(radius if tip % 2 == 0 else 0.45 * radius, math.pi * tip / 5) for tip in range(10)]
    corners = (f"{far * math.sin(at):.1f} {-far * math.cos(at):.1f}" for far, at in tips)
    return f"M{'L'.join(corners)}z"
