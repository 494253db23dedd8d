"""Signals that end a command as Ctrl-C does: whatever was begun is put in order first."""

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

NAMES = ("SIGTERM", "SIGHUP")
"""From `kill`, a scheduler or a container; from a terminal that is closed (not on Windows)."""


INTERRUPTED = 130
"""The exit code of a command that Ctrl-C has ended."""


class Stopped(KeyboardInterrupt):
    """A signal asked the process to end; `number` is that of the signal."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def stopping_on_signals() -> Generator[None]:
    """Raise `Stopped` in the block when a signal comes that would end the process.

    Signals that the process ignores, as `nohup` has it, or handles already are left alone.
    """
    numbers = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
    if threading.current_thread() is not threading.main_thread():  # others get no signals
        numbers = []
    taken = [number for number in numbers if signal.getsignal(number) == signal.SIG_DFL]
    for number in taken:
        signal.signal(number, _stop)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


def _stop(number: int, _: FrameType | None) -> NoReturn:
    raise Stopped(number)
