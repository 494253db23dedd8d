"""How commands speak: sentences and tables, never as markup."""

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


def show(table: Table) -> None:
    """Print a table; on a narrow terminal its lines are too long rather than cut."""
    needed = Console(width=UNLIMITED).measure(table).minimum
    Console(width=max(Console().width, needed), emoji=False).print(table)
