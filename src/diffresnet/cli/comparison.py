"""Several methods on the same tasks or splits: the first of them compared with the others."""

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from diffresnet.cli.console import new_table
from diffresnet.measuring.statistics import PairedDifference, percent


def compare_in_table(
    title: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    first: str,
    differences: Sequence[PairedDifference],
) -> Table:
    """Return a table of methods; with several, the last column is the first minus each other."""
    table = new_table(title, "method", [*heads, f"{first} minus it"] if len(rows) > 1 else heads)
    table.add_row(*rows[0])
    for row, paired in zip(rows[1:], differences[1:], strict=True):
        table.add_row(*row, percent(paired.difference, paired.ci95, sign=True))
    return table


def compare_in_json(
    numbers: Sequence[dict[str, Any]], differences: Sequence[PairedDifference]
) -> dict[str, Any]:
    """Return the numbers of the first method, and a list of those of all."""
    pairs = zip(numbers, differences, strict=True)
    listed = [found | {"first_minus_it": paired.to_json()} for found, paired in pairs]
    return numbers[0] | {"results": listed}
