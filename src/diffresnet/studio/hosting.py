"""A studio behind a page: opened in the background, worked on by threads, watched by tabs.

Gestures have a thread of their own, one after the other. They are answered by a first look; the
classifier learns from them in a second thread. What takes longer and changes nothing (questions,
explanations, files) has another, and waits for what is learned; what nobody waits for (maps that
settle, the outlook) a fourth: so events keep flowing, and no gesture waits for them.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast

from diffresnet._support.checks import refuse
from diffresnet._support.stages import listening
from diffresnet._support.words import reason_of
from diffresnet.studio.answering import done_frame, not_ready, project_of
from diffresnet.studio.engine import Studio
from diffresnet.studio.opening import Source
from diffresnet.studio.previews import make_preview
from diffresnet.studio.progress import (
    FEWEST_CLASSES,
    LARGEST_MEASURED,
    Outlook,
    expect,
    look_ahead,
)
from diffresnet.studio.snapshot import Done
from diffresnet.studio.worker import Worker

SECONDS_BETWEEN_EVENTS = 0.25
SECONDS_BETWEEN_BEATS = 15.0
SECONDS_OF_REST = 1.5
"""Without a gesture, before the outlook is measured."""

SECONDS_TO_PAINT = 0.3
SECONDS_TO_END = 5.0
N_KEPT_PREVIEWS = 2000
MOST_TABS = 50
N_WAITING = 100
"""Events that a tab may be behind."""

Result = TypeVar("Result")


class _StoppedError(Exception):
    """A measurement was stopped: its answers are not those there are any longer."""


class Host:
    """A studio and those who use it.

    Args:
        source: of the data.
        file: for the answers; None for one beside the data.

    Attributes:
        failure: why the data could not be opened; None while nothing went wrong.
        is_idle: after `stop`, whether all threads have ended. One that computes cannot be ended.
    """

    def __init__(self, source: Source, file: Path | None = None) -> None:
        self.source, self.file = source, file
        self._studio: Studio | None = None
        self._stage = not_ready(source.path.name, "opening", "opening", None, None)
        self._workers = [Worker(name) for name in ("gestures", "learning", "slow", "rest")]
        self._gestures, self._learning, self._slow, self._rest = self._workers
        self._tabs: set[asyncio.Queue[str]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._told = 0.0
        self._is_closed = self._is_ending = False
        self.failure: str | None = None
        self.is_idle = True
        self._last_gesture = 0.0
        self.preview = lru_cache(N_KEPT_PREVIEWS)(self._make_preview)

    @property
    def studio(self) -> Studio:
        """The studio, once it is open; raises if it is not."""
        if self._studio is None:
            what, remedy = str(self._stage["error"] or "one that is open"), "Wait a little."
            if self._stage["stage"] == "failed":
                raise ValueError(what)
            refuse("The studio", "open", "one that is still being opened", remedy)
        return self._studio

    def project(self) -> dict[str, Any]:
        """Return what the page is told first."""
        return self._stage if self._studio is None else project_of(self._studio)

    async def start(self) -> None:
        """Begin to open the data."""
        self._loop = asyncio.get_running_loop()
        self._gestures.submit(self._open)

    async def stop(self) -> None:
        """Let tabs go, and close the file after the gesture at hand."""
        self._is_closed = True
        self.dismiss()
        studio = self._studio
        if studio is not None:
            with suppress(TimeoutError, asyncio.CancelledError):
                await asyncio.wait_for(self._gestures.run(studio.close), SECONDS_TO_END)
        for worker in self._workers:
            worker.close()
        end = time.monotonic() + SECONDS_TO_END
        self.is_idle = all(worker.join(end - time.monotonic()) for worker in self._workers)

    def dismiss(self) -> None:
        """End the events of all tabs: a server waits for them before it ends."""
        self._is_ending = True
        for queue in self._tabs:
            with suppress(asyncio.QueueFull):
                queue.put_nowait(": the end\n\n")

    async def gesture(self, work: Callable[[Studio], Done], tab: str) -> bytes:
        """Do something that changes answers, tell the other tabs, and return the frame."""
        studio = self.studio
        self._last_gesture = time.monotonic()

        def work_and_tell() -> tuple[Done, bytes]:
            done = work(studio)
            return done, done_frame(studio, done)

        try:
            done, frame = await self._gestures.run(work_and_tell)
        finally:
            self._learn_soon()
            self._later(self._measure)  # it stops for every gesture
        if done.after is not done.before:
            self._tell("version", {"version": done.after.version, "tab": tab})
        return frame

    async def quick(self, work: Callable[[Studio], Result]) -> Result:
        """Look at something in the thread of gestures, after those that were made."""
        studio = self.studio
        return await self._gestures.run(lambda: work(studio))

    async def slow(self, work: Callable[[Studio], Result], *, needs_model: bool = True) -> Result:
        """Look at something that takes a while.

        Args:
            work: what to do.
            needs_model: whether the classifier must have learned from all answers before.
        """
        studio = self.studio

        def work_if_learned() -> tuple[bool, Result | None]:
            is_ready = studio.now.is_learned or not needs_model
            return is_ready, work(studio) if is_ready else None

        while True:
            if needs_model:
                await self.learned()
            is_done, found = await self._slow.run(work_if_learned)
            if is_done:
                return cast("Result", found)

    async def learned(self) -> None:
        """Wait until the classifier has learned from all answers."""
        studio = self.studio
        while not studio.now.is_learned:
            await self._learning.run(self._learn)

    def events(self) -> AsyncIterator[str]:
        """Return events for one tab, for as long as it listens; raise if there are too many."""
        if len(self._tabs) >= MOST_TABS:
            refuse("The studio", f"open in up to {MOST_TABS} tabs", "more", "Close some.")
        return self._events()

    async def _events(self) -> AsyncIterator[str]:
        queue: asyncio.Queue[str] = asyncio.Queue(N_WAITING)
        self._tabs.add(queue)
        try:
            yield _event("project", self.project())
            while not self._is_ending:
                try:
                    yield await asyncio.wait_for(queue.get(), SECONDS_BETWEEN_BEATS)
                except TimeoutError:
                    yield ": still here\n\n"
        finally:
            self._tabs.discard(queue)

    def _open(self) -> None:
        def hear(name: str, part: float | None) -> None:
            if self._is_closed:
                raise _StoppedError
            doing = {"doing": name, "done": part}
            self._stage = {**self._stage, **doing}
            self._tell("project", self._stage, is_frequent=True)

        try:
            with listening(hear):
                studio = Studio.open(self.source, self.file)
        except _StoppedError:
            return
        except Exception as error:  # whatever it is, the page must be told
            self.failure = f"{reason_of(error) or type(error).__name__}."
            self._stage = not_ready(self.source.path.name, "failed", None, None, self.failure)
            self._tell("project", self._stage)
            return
        self._studio = studio
        self._tell("project", self.project())
        self._later(self._settle)
        self._later(self._measure)

    def _settle(self) -> None:
        studio = self.studio
        told = 0.0
        for n_done, n_all in studio.settle(every=5):
            if self._is_closed:
                return
            if time.monotonic() - told > SECONDS_BETWEEN_EVENTS or n_done == n_all:
                told = time.monotonic()
                self._tell("layout", {"epoch": n_done, "n_epochs": n_all})

    def _learn_soon(self) -> None:
        """Learn after the page has painted the first look; it asks for more then, or never."""
        asyncio.get_running_loop().call_later(
            SECONDS_TO_PAINT, lambda: self._learning.submit(self._learn)
        )

    def _learn(self) -> None:
        """Learn from all answers, unless there are others by then."""
        studio = self.studio
        now = studio.now
        if now.is_learned:
            return

        def stop_if_old(*_: object) -> None:
            if self._is_closed or studio.now.version != now.version:
                raise _StoppedError

        with suppress(_StoppedError, CancelledError), listening(stop_if_old):
            learned = studio.finish(now)
            self._gestures.submit(lambda: studio.keep(learned)).result()

    def _measure(self) -> None:
        """Measure the outlook, unless gestures go on."""
        studio = self.studio
        while time.monotonic() - self._last_gesture < SECONDS_OF_REST:
            if self._is_closed:
                return
            time.sleep(0.1)
        self._learning.submit(self._learn).result()
        now, begun = studio.now, time.monotonic()
        is_known = now.outlook.version == now.version
        if is_known or not now.is_learned or len(now.model.classes_) < FEWEST_CLASSES:
            return

        def stop_if_old(*_: object) -> None:
            if self._is_closed or studio.now is not now or self._last_gesture > begun:
                raise _StoppedError

        with suppress(_StoppedError, CancelledError, ValueError), listening(stop_if_old):
            if studio.n_points <= LARGEST_MEASURED:
                outlook = look_ahead(now.model, now.version)
            else:
                outlook = Outlook(now.version, expect(now.model))
            self._gestures.submit(lambda: studio.improve(outlook)).result()
            self._tell("project", self.project())

    def _later(self, work: Callable[[], None]) -> None:
        self._rest.submit(work)

    def _tell(self, name: str, content: dict[str, Any], *, is_frequent: bool = False) -> None:
        """Send an event to all tabs, from any thread."""
        now = time.monotonic()
        if is_frequent and now - self._told < SECONDS_BETWEEN_EVENTS:
            return
        self._told = now if is_frequent else self._told
        event = _event(name, content)

        def put() -> None:
            for queue in self._tabs:
                with suppress(asyncio.QueueFull):
                    queue.put_nowait(event)

        if self._loop is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(put)

    def _make_preview(self, row: int) -> bytes:
        return make_preview(self.studio.opened, row)


def _event(name: str, content: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(content)}\n\n"
