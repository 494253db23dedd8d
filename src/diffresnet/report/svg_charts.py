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
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(text)}">{"".join(drawn)}</svg>'
    )


def _text(kind: str, x: float, y: float, words: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(words)}</text>'
