"""A thread that does one thing after the other, and does not keep the process alive."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

Result = TypeVar("Result")


class Worker:
    """Works in a thread of its own, in order.

    Args:
        name: of the thread.

    Examples:
        >>> Worker("one").submit(lambda: 6 * 7).result()
        42
    """

    def __init__(self, name: str) -> None:
        self._tasks: SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = SimpleQueue()
        self._is_closed = False
        self._thread = Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def submit(self, work: Callable[[], Result]) -> "Future[Result]":
        """Let work be done after all that came before; after `close` it never is."""
        future: Future[Result] = Future()
        if self._is_closed:
            future.cancel()
        else:
            self._tasks.put((work, future))
        return future

    async def run(self, work: Callable[[], Result]) -> Result:
        """Wait for work that is done after all that came before, without blocking others."""
        context = copy_context()
        return await asyncio.wrap_future(self.submit(lambda: context.run(work)))

    def close(self) -> None:
        """Take no more work, and end after what is at hand."""
        self._is_closed = True
        self._tasks.put((_nothing, Future()))

    def join(self, seconds: float) -> bool:
        """Wait for the end after `close`, for some seconds; return whether it has come."""
        self._thread.join(max(0.0, seconds))
        return not self._thread.is_alive()

    def _work(self) -> None:
        while not (self._is_closed and self._tasks.empty()):
            work, future = self._tasks.get()
            if self._is_closed or not future.set_running_or_notify_cancel():
                future.cancel()
                continue
            try:
                future.set_result(work())
            except BaseException as error:  # whoever waits for it must hear of it
                future.set_exception(error)


def _nothing() -> None:
    """Do nothing."""
