"""Small charts as SVG, written by hand."""

from collections.abc import Sequence
from html import escape
from math import floor

WIDTH, HEIGHT = 380, 210
LEFT, RIGHT, TOP, BOTTOM = 52, 358, 14, 168


def draw_histogram(counts: Sequence[int], x_label: str, text: str) -> str:
    """Return bars of equal parts of the range from 0% to 100%.

    Args:
        counts: height of each bar.
        x_label: below the axis.
        text: what the chart shows, for those who cannot see it.
    """
    highest, n_bars = max(*counts, 1), len(counts)
    width = (RIGHT - LEFT) / n_bars
    drawn: list[str] = []
    for y, level in ((BOTTOM, 0), (TOP, highest)):
        drawn.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{RIGHT}"/>')
        drawn.append(f'<text class="end" x="{LEFT - 6}" y="{y + 4:.1f}">{level:,}</text>')
    for place, count in enumerate(counts):
        height = count / highest * (BOTTOM - TOP)
        span = f"{100 * place // n_bars} to {100 * (place + 1) // n_bars}%"
        drawn.append(
            f'<rect class="bar" x="{LEFT + place * width + 1:.1f}" y="{BOTTOM - height:.1f}" '
            f'width="{width - 2:.1f}" height="{height:.1f}"><title>{span}: {count:,}</title></rect>'
        )
    ticks = [(LEFT + (RIGHT - LEFT) * percent / 100, percent) for percent in (0, 25, 50, 75, 100)]
    drawn += [_text("tick", x, BOTTOM + 18, f"{percent}%") for x, percent in ticks]
    drawn.append(f'<path class="axis" d="M{LEFT} {BOTTOM}H{RIGHT}"/>')
    drawn.append(_text("label", (LEFT + RIGHT) / 2, HEIGHT - 6, x_label))
    return _chart(drawn, text)


def draw_curve(
    points: Sequence[tuple[float, float]],
    intervals: Sequence[tuple[float, float]],
    ahead: tuple[float, float],
    x_label: str,
    text: str,
) -> str:
    """Return a curve of parts of one with its band, and a dashed line to what is expected.

    Args:
        points: x and y of each, x rising, y from 0 to 1.
        intervals: the ends of the interval of each y.
        ahead: x and y of the end of the dashed line.
        x_label: below the axis.
        text: what the chart shows, for those who cannot see it.
    """
    lowest = floor(10 * min(low for low, _ in intervals)) / 10

    def place(x: float, y: float) -> str:
        up = (y - lowest) / (1 - lowest) if lowest < 1 else 1.0
        return f"{LEFT + (RIGHT - LEFT) * x / ahead[0]:.1f} {BOTTOM - (BOTTOM - TOP) * up:.1f}"

    drawn: list[str] = []
    for level in (lowest, (1 + lowest) / 2, 1.0):
        y = float(place(0, level).split()[1])
        drawn.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{RIGHT}"/>')
        drawn.append(f'<text class="end" x="{LEFT - 6}" y="{y + 4:.1f}">{level:.0%}</text>')
    sizes = [x for x, _ in points]
    lows = [place(x, low) for x, (low, _) in zip(sizes, intervals, strict=True)]
    highs = [place(x, high) for x, (_, high) in zip(sizes, intervals, strict=True)]
    drawn.append(f'<path class="band" d="M{"L".join([*highs, *lows[::-1]])}Z"/>')
    drawn.append(f'<path class="line" d="M{"L".join(place(*point) for point in points)}"/>')
    drawn.append(f'<path class="line ahead" d="M{place(*points[-1])}L{place(*ahead)}"/>')
    for x, y in (*points, ahead):
        left, top = place(x, y).split()
        name = f"<title>{y:.0%} with {x:,.0f}</title>"
        drawn.append(f'<circle class="bar" cx="{left}" cy="{top}" r="3.5">{name}</circle>')
    ticks = [(x, float(place(x, 1).split()[0])) for x in (sizes[0], sizes[-1], ahead[0])]
    drawn += [_text("tick", left, BOTTOM + 18, f"{x:,.0f}") for x, left in ticks]
    drawn.append(f'<path class="axis" d="M{LEFT} {BOTTOM}H{RIGHT}"/>')
    drawn.append(_text("label", (LEFT + RIGHT) / 2, HEIGHT - 6, x_label))
    return _chart(drawn, text)


def _chart(drawn: Sequence[str], text: str) -> str:
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(text)}">{"".join(drawn)}</svg>'
    )


def _text(kind: str, x: float, y: float, words: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(words)}</text>'
