"""A page that shows what the theory says of a set of points."""

import math
from collections.abc import Sequence

from diffresnet.report.curves import Curve, CurvePanel, draw_curves
from diffresnet.report.page import Heading, Paragraph, Part, Picture, Table, make_page
from diffresnet.report.theory.sentences import (
    describe_separation,
    describe_stability,
    describe_structure,
)
from diffresnet.theory import TheoryAnalysis

MOST_ROWS = 30


def make_theory_page(
    found: TheoryAnalysis, title: str, class_names: Sequence[str] | None = None
) -> bytes:
    """Return the content of an HTML file that needs no other file.

    Args:
        found: what `analyze` returned.
        title: of the page.
        class_names: of the classes 0, 1, 2, ...; by default their numbers.
    """
    parts: list[Part] = [Heading("Are the points structured?")]
    parts += map(Paragraph, describe_structure(found))
    parts += [Heading("Is diffusion stable?"), *map(Paragraph, describe_stability(found))]
    parts += [Heading("Does diffusion separate the classes?")]
    parts += map(Paragraph, describe_separation(found))
    caption = "L, D and L/D by diffusion step; dotted, the step that Theorem 2 asks for"
    parts += [Picture(draw_growth(found), "image/png", caption), _regions(found, class_names)]
    if found.subclasses.n_subclasses > MOST_ROWS:
        parts.append(Paragraph(f"And {found.subclasses.n_subclasses - MOST_ROWS} more."))
    return make_page(f"Theory: {title}", parts)


def draw_growth(found: TheoryAnalysis) -> bytes:
    """Draw L, D and L/D by step, with the step at which the exact bound is reached."""
    growth, exact = found.growth, found.reached[-1]
    sizes = [_curve("L", growth.min_distances), _curve("D", growth.max_diameters)]
    ratio = [_curve("L/D", growth.ratios)]
    marked = None if exact.step is None else (exact.step, "exact bound reached")
    panels = [
        CurvePanel(title, "step", label, curves, marked, any(curve.y for curve in curves))
        for title, label, curves in (("sizes", "L and D", sizes), ("ratio", "L/D", ratio))
    ]
    return draw_curves(panels)


def _curve(label: str, values: tuple[float, ...]) -> Curve:
    kept = [(step, value) for step, value in enumerate(values) if 0 < value < math.inf]
    return Curve(label, [step for step, _ in kept], [value for _, value in kept])


def _regions(found: TheoryAnalysis, class_names: Sequence[str] | None) -> Table:
    """List the intervals of the subclasses along the direction, after diffusion."""
    direction = found.diffused.direction
    ends = direction.intervals.tolist()
    numbers = found.subclasses.labels.tolist()
    labels = [class_names[number] for number in numbers] if class_names else numbers
    rows = [
        [str(name), str(labels[name]), f"{low:.4g}", f"{high:.4g}"]
        for name, (low, high) in zip(direction.order, ends, strict=True)
    ]
    heads = ["subclass, from left to right", "class", "left end", "right end"]
    return Table(heads, rows[:MOST_ROWS])
