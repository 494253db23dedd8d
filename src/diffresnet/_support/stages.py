"""Which stage of a long computation is reached, and how far it is, for whoever wants to know.

Code deep down names its stages (`stage`); whoever started it may listen (`listening`), or let a
line on the terminal show them (`shown_stages`). Without a listener nothing happens.
"""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from diffresnet._support.progress import SECONDS_BEFORE_BAR
from diffresnet._support.words import plain

Listener = Callable[[str, float | None], None]
"""Is called with the name of a stage and the part of it that is done; None if that is unknown."""

_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Generator[None]:
    """Let a function hear of every stage within the block.

    Examples:
        >>> heard = []
        >>> with listening(lambda name, part: heard.append((name, part))):
        ...     with stage("neighbors", total=2) as advance:
        ...         advance()
        ...         advance()
        >>> heard
        [('neighbors', 0.0), ('neighbors', 0.5), ('neighbors', 1.0)]
    """
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


@contextmanager
def stage(name: str, total: int | None = None) -> Generator[Callable[[], None]]:
    """Name a stage, and give a function that is called after each of `total` steps.

    The function may be called from any thread.
    """
    listener, lock, n_done = _LISTENER.get(), Lock(), 0

    def advance() -> None:
        nonlocal n_done
        if listener is not None and total:
            with lock:
                n_done += 1
                listener(name, n_done / total)

    if listener is not None:
        listener(name, 0.0 if total else None)
    yield advance


@contextmanager
def shown_stages(title: str) -> Generator[None]:
    """Show the stages within the block on one line of the terminal, after two seconds.

    The line goes to the error stream, and is gone at the end. Where that is not a terminal, or
    someone listens already, there is none.
    """
    console = Console(file=sys.stderr)
    if _LISTENER.get() is not None or not console.is_terminal:
        yield
        return
    text = TextColumn("{task.description}", markup=False)
    bar = Progress(text, BarColumn(), TaskProgressColumn(), console=console, transient=True)
    line, begin = bar.add_task(plain(title), total=None), time.monotonic()

    def show(name: str, part: float | None) -> None:
        if time.monotonic() - begin > SECONDS_BEFORE_BAR and not bar.live.is_started:
            bar.start()
        total = None if part is None else 1.0
        bar.update(line, description=f"{plain(title)}: {name}", completed=part or 0.0, total=total)

    try:
        with listening(show):
            yield
    finally:
        if bar.live.is_started:
            bar.stop()
