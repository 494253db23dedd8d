"""Small charts as SVG, written by hand."""

from collections.abc import Sequence
from html import escape

WIDTH, HEIGHT = 380, 210
LEFT, RIGHT, TOP, BOTTOM = 52, 358, 14, 168


def draw_histogram(counts: Sequence[int], x_label: str, text: str) -> str:
    """Return bars of equal parts of the range from 0% to 100%.

    Args:
        counts: height of each bar.
        x_label: below the axis.
        text: what the chart shows, for those who cannot see it.
    """
    top = max(*counts, 1)
    width = (RIGHT - LEFT) / len(counts)
    bars = "".join(
        _bar(LEFT + place * width, width, count, top, _range_text(place, len(counts)))
        for place, count in enumerate(counts)
    )
    ticks = "".join(
        _text(LEFT + (RIGHT - LEFT) * part / 4, BOTTOM + 18, f"{25 * part}%") for part in range(5)
    )
    return _chart(_levels([(0.0, "0"), (1.0, f"{top:,}")]) + bars + ticks, x_label, text)


def _chart(content: str, x_label: str, text: str) -> str:
    axis = f'<path class="axis" d="M{LEFT} {BOTTOM}H{RIGHT}"/>'
    label = _text((LEFT + RIGHT) / 2, HEIGHT - 6, x_label, "label")
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(text)}">{content}{axis}{label}</svg>'
    )


def _bar(x: float, width: float, count: int, top: int, span: str) -> str:
    height = count / top * (BOTTOM - TOP)
    return (
        f'<rect class="bar" x="{x + 1:.1f}" y="{BOTTOM - height:.1f}" width="{width - 2:.1f}" '
        f'height="{height:.1f}"><title>{span}: {count:,}</title></rect>'
    )


def _levels(levels: Sequence[tuple[float, str]]) -> str:
    """Return names at heights from 0 to 1 along the left, each with a line across."""
    lines: list[str] = []
    for height, name in levels:
        y = BOTTOM - height * (BOTTOM - TOP)
        lines.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{RIGHT}"/>')
        lines.append(f'<text class="end" x="{LEFT - 6}" y="{y + 4:.1f}">{escape(name)}</text>')
    return "".join(lines)


def _text(x: float, y: float, words: str, name: str = "tick") -> str:
    return f'<text class="{name}" x="{x:.1f}" y="{y:.1f}">{escape(words)}</text>'


def _range_text(place: int, n_bars: int) -> str:
    return f"{100 * place // n_bars} to {100 * (place + 1) // n_bars}%"
