"""Several methods on the same tasks or splits: the first of them compared with the others."""

from collections.abc import Sequence
from typing import Any

from diffresnet.cli.console import show
from diffresnet.measuring.statistics import PairedDifference, percent


def show_comparison(
    title: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    first: str,
    differences: Sequence[PairedDifference],
    *,
    caption: str = "",
) -> None:
    """Print a table of methods; with several, the last column is the first minus each other."""
    if len(rows) == 1:
        show(title, ["method", *heads], rows, caption)
        return
    found = [percent(paired.difference, paired.ci95, sign=True) for paired in differences[1:]]
    compared = [[*row, difference] for row, difference in zip(rows, ["", *found], strict=True)]
    show(title, ["method", *heads, f"{first} minus it"], compared, caption)


def compare_in_json(
    numbers: Sequence[dict[str, Any]], differences: Sequence[PairedDifference]
) -> dict[str, Any]:
    """Return the numbers of the first method, and a list of those of all."""
    pairs = zip(numbers, differences, strict=True)
    listed = [found | {"first_minus_it": paired.to_json()} for found, paired in pairs]
    return numbers[0] | {"results": listed}
