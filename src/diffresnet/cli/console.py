"""How commands speak: sentences and tables that show what is in a name, and never obey it."""

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import typer
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from diffresnet._support.words import plain, shortened

UNLIMITED = 10_000
"""Columns of a terminal on which any table has room."""

WIDEST_NAME = 60
"""Letters of a name in a table, so that its numbers are on the screen."""

FULL_OUTPUT = "The output must be on a disk with room, got one without. Free some space."


def say(sentence: str) -> None:
    """Print a sentence."""
    _print(Console(), sentence)


def warn(sentence: str) -> None:
    """Print a sentence to the error stream."""
    _print(Console(stderr=True), sentence)


def show(
    title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], caption: str = ""
) -> None:
    """Print a table: a column of names, then columns of numbers.

    Heads and names may be broken between words, numbers not at all. On a narrow
    terminal lines are too long rather than cut.
    """
    console = Console()
    named = [_writable(head, console) for head in heads]
    shown = [[shortened(_writable(cell, console), WIDEST_NAME) for cell in row] for row in rows]
    table = _lay_out(named, shown, breaking=False)
    if _least_width(table) > console.width:
        table = _lay_out(named, shown, breaking=True)
    table.title, table.caption = _as_text(title, console), _as_text(caption, console)
    _print(Console(width=max(console.width, _least_width(table))), table)


def check_output() -> None:
    """Refuse to end well where the output took no more, and the error stream has it instead."""
    if sys.stdout is not None and sys.stdout is sys.stderr:
        raise typer.BadParameter(FULL_OUTPUT)


def leave(code: int) -> NoReturn:
    """End the process at once, with this exit code: threads that compute are not waited for."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.flush()
    os._exit(code)


def as_shown(refusal: str) -> str:
    """Return what an error says as the error stream can show it, on one line."""
    return _writable(" ".join(refusal.splitlines()), Console(stderr=True))


def _print(console: Console, what: str | Table) -> None:
    """Print a sentence or a table: the one place at which a command reaches the terminal."""
    ready: RenderableType = _as_text(what, console) if isinstance(what, str) else what
    is_sentence = isinstance(what, str)
    try:
        console.print(ready, soft_wrap=is_sentence)
    except BrokenPipeError:
        raise
    except OSError:  # a file on a full disk: what was found must not be lost
        if not console.stderr:  # a warning has nowhere else to go
            sys.stdout = sys.stderr
            Console(width=console.width).print(ready, soft_wrap=is_sentence)


def _as_text(text: str, console: Console) -> Text:
    """Return a text in which square brackets and emoji names mean nothing."""
    return Text(_writable(text, console))


def _writable(text: str, console: Console) -> str:
    """Return a text without control characters that the stream can encode."""
    return plain(text).encode(console.encoding, "backslashreplace").decode(console.encoding)


def _lay_out(heads: Sequence[str], rows: Sequence[Sequence[str]], *, breaking: bool) -> Table:
    """Return a table whose numbers are never broken, and its heads if that is wanted."""
    table = Table()
    for place, (head, *cells) in enumerate(zip(heads, *rows, strict=True)):
        words = head.split() if breaking else [head]
        if place == 0:
            parts = [word for cell in cells for word in cell.split()]
            table.add_column(Text(head), min_width=_widest([*words, *parts]))
        else:
            table.add_column(Text(head), justify="right", width=_widest([*words, *cells]))
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _least_width(table: Table) -> int:
    return Console(width=UNLIMITED).measure(table).minimum


def _widest(texts: Sequence[str]) -> int:
    return max(map(cell_len, texts), default=0)
