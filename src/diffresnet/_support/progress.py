"""A progress bar for whatever takes longer than two seconds, and words before it can be shown."""

import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from diffresnet._support.words import plain

SECONDS_BEFORE_BAR = 2.0

Item = TypeVar("Item")


@contextmanager
def shown_at_once(words: str) -> Generator[None]:
    """Show words on the terminal's error stream until the block ends; none if that is no terminal.

    They are for what cannot say how far it is, such as an import.
    """
    stream = sys.stderr
    if stream is None or not stream.isatty():
        yield
        return
    shown = plain(words)
    try:
        print(shown, end="", file=stream, flush=True)
        yield
    finally:
        print(f"\r{' ' * len(shown)}\r", end="", file=stream, flush=True)


@contextmanager
def progress_bar(
    title: str, total: int, *, show: bool = True
) -> Generator[Callable[[int, str], None]]:
    """Give a function that is called with the number done and a remark; show a bar after a while.

    The bar goes to the terminal's error stream, and is left out where that is not a terminal.
    """
    console = Console(file=sys.stderr)
    before, after = (
        TextColumn(words, markup=False) for words in ("{task.description}", "{task.fields[remark]}")
    )
    columns = before, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), after
    bar = Progress(*columns, console=console)
    task = bar.add_task(plain(title), total=total, remark="")
    begin = time.monotonic()

    def advance(n_done: int, remark: str = "") -> None:
        late = time.monotonic() - begin > SECONDS_BEFORE_BAR
        if show and late and console.is_terminal and not bar.live.is_started:
            bar.start()
        bar.update(task, completed=n_done, remark=plain(remark))

    try:
        yield advance
    finally:
        if bar.live.is_started:
            bar.stop()


def track(items: Sequence[Item], title: str) -> Iterator[Item]:
    """Give the items one after the other, under a progress bar."""
    with progress_bar(title, len(items)) as advance:
        for n_done, item in enumerate(items, start=1):
            yield item
            advance(n_done, "")
