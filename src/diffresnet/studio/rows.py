"""A row of a table in words: what a point without text or picture looks like."""

from collections.abc import Sequence

from diffresnet._support.words import shortened

MOST_COLUMNS, LONGEST_COLUMN = 10, 40
LARGEST_WRITTEN, LARGEST_FINE = 1e9, 1e3
"""Of larger numbers, the power of ten is written; or one digit after the point."""

UNBROKEN = "\N{NO-BREAK SPACE}"


def describe_row(columns: Sequence[str], values: Sequence[float]) -> str:
    """Return the first cells of a row in words: "height 2.1 · width 0.3".

    Args:
        columns: names of all columns.
        values: of the first ones.
    """
    cells = [
        f"{shortened(name, LONGEST_COLUMN)}{UNBROKEN}{_short(value)}"
        for name, value in zip(columns[:MOST_COLUMNS], values[:MOST_COLUMNS], strict=True)
    ]
    return f"{UNBROKEN}· ".join([*cells, "…"] if len(columns) > MOST_COLUMNS else cells)


def _short(value: float) -> str:
    """Return a number as people write it.

    Examples:
        >>> [_short(value) for value in (2.0, 0.12345, -1234.56, 123456789.0, 1e-7, 1e300)]
        ['2', '0.1235', '-1234.6', '123456789', '1e-07', '1e+300']
    """
    if abs(value) >= LARGEST_WRITTEN:
        return f"{value:.4g}"
    if value == round(value):
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= LARGEST_FINE else f"{value:.4g}"
