"""How commands speak: sentences and tables, never as markup."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

UNLIMITED = 10_000
"""Columns of a terminal on which any table has room."""


def say(sentence: str) -> None:
    """Print a sentence as it is."""
    Console(emoji=False).print(sentence, soft_wrap=True, highlight=False, markup=False)


def warn(sentence: str) -> None:
    """Print a sentence to the error stream."""
    Console(stderr=True, emoji=False).print(sentence, soft_wrap=True, highlight=False, markup=False)


def new_table(title: str, first: str, numbers: Sequence[str]) -> Table:
    """Return a table with a column of names, and columns of numbers."""
    table = Table(title=title)
    table.add_column(first)
    for head in numbers:
        table.add_column(head, justify="right")
    return table


def show(table: Table) -> None:
    """Print a table; on a narrow terminal its lines are too long rather than cut."""
    needed = Console(width=UNLIMITED).measure(table).minimum
    Console(width=max(Console().width, needed), emoji=False).print(table)
