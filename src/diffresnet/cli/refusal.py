"""Sentences that end a command."""

from collections.abc import Sequence
from typing import NoReturn

import typer

N_NAMED = 3


def refuse(what: str, must: str, got: object, remedy: str) -> NoReturn:
    """End the command: what is wrong, what it must be, what it is, and one remedy."""
    raise typer.BadParameter(f"{what} must be {must}, got {got}. {remedy}")


def some(names: Sequence[object], n_named: int = N_NAMED) -> str:
    """Name the first few, and count the others.

    Examples:
        >>> some(["a", "b", "c", "d", "e"])
        "'a', 'b', 'c' and 2 others"
    """
    first = ", ".join(f"'{name}'" for name in names[:n_named])
    n_others = len(names) - n_named
    if n_others <= 0:
        return first
    return f"{first} and {n_others} {'other' if n_others == 1 else 'others'}"
