import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from diffresnet.studio import hosting
from diffresnet.studio.frames import decode_frame
from diffresnet.studio.hosting import Host
from diffresnet.studio.opening import Source
from diffresnet.studio.progress import look_ahead
from tests.studio.studios import NAMES, label_all_classes, open_clusters, write_clusters


def hosted(path: Path, work: Callable[[Host], Coroutine[Any, Any, None]]) -> None:
    """Open a studio, do something with it, and end it."""

    async def run() -> None:
        host = Host(Source(path))
        await host.start()
        try:
            await until(lambda: host.project()["stage"] != "opening")
            await work(host)
        finally:
            await host.stop()

    asyncio.run(run())


async def until(condition: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        await asyncio.sleep(0.02)


async def next_event(events: AsyncIterator[str], name: str) -> dict[str, Any]:
    async for event in events:
        if event.startswith(f"event: {name}\n"):
            return json.loads(event.split("data: ", 1)[1])
    raise AssertionError(name)


def listed(name: str, *rows: int) -> Callable[[Any], Any]:
    selection = {"rows": list(rows)}
    return lambda one: one.do({"kind": "add_class", "name": name, "selection": selection})


def test_tabs_hear_of_gestures_and_maps(tmp_path: Path) -> None:
    async def work(host: Host) -> None:
        events = host.events()
        assert (await next_event(events, "project"))["stage"] == "ready"
        told = await next_event(events, "layout")
        assert 0 < told["epoch"] <= told["n_epochs"]
        header, _ = decode_frame(await host.gesture(listed("red", 0), "one"))
        assert header["version"] == 1
        assert await next_event(events, "version") == {"version": 1, "tab": "one"}
        await events.aclose()  # type: ignore[attr-defined]

    hosted(write_clusters(tmp_path), work)


def test_the_outlook_comes_after_a_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosting, "SECONDS_OF_REST", 0.05)

    async def work(host: Host) -> None:
        for one, name in enumerate(NAMES):
            await host.gesture(listed(name, *range(30 * one, 30 * one + 5)), "one")
        await until(lambda: host.studio.now.outlook.version == 3)
        assert len(host.project()["progress"]["curve"]) > 1

    hosted(write_clusters(tmp_path), work)


def test_what_needs_the_model_waits_until_it_has_learned(tmp_path: Path) -> None:
    async def work(host: Host) -> None:
        for one, name in enumerate(NAMES):
            await host.gesture(listed(name, 30 * one, 30 * one + 1), "one")
        rows = [5, 35, 65]
        for one, row in enumerate(rows):
            command = {"kind": "label", "class": one, "selection": {"rows": [row]}}
            await host.gesture(lambda s, c=command: s.do(c, is_hasty=True), "one")
        assert host.studio.now.pending.tolist() == rows
        assert await host.slow(lambda s: s.now.is_learned, needs_model=False) is False
        assert await host.slow(lambda s: s.now.is_learned)
        assert (host.studio.now.model.encoded_labels_[rows] == [0, 1, 2]).all()
        assert host.studio.now.version == 6

    hosted(write_clusters(tmp_path), work)


def test_a_first_look_is_learned_from_unasked(tmp_path: Path) -> None:
    async def work(host: Host) -> None:
        for one, name in enumerate(NAMES):
            await host.gesture(listed(name, 30 * one), "one")
        command = {"kind": "label", "class": 0, "selection": {"rows": [5]}}
        await host.gesture(lambda s: s.do(command, is_hasty=True), "one")
        assert not host.studio.now.is_learned
        await until(lambda: host.studio.now.is_learned)

    hosted(write_clusters(tmp_path), work)


def test_a_refused_gesture_is_told_to_nobody(tmp_path: Path) -> None:
    async def work(host: Host) -> None:
        with pytest.raises(ValueError, match="must be text that can be seen"):
            await host.gesture(listed("", 0), "one")
        assert host.project()["version"] == 0

    hosted(write_clusters(tmp_path), work)


def test_too_many_tabs_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosting, "MOST_TABS", 1)

    async def work(host: Host) -> None:
        first = host.events()
        await next_event(first, "project")
        with pytest.raises(ValueError, match="The studio must be open in up to 1 tabs"):
            host.events()

    hosted(write_clusters(tmp_path), work)


def test_a_tab_that_does_not_listen_holds_nobody_up(tmp_path: Path) -> None:
    async def work(host: Host) -> None:
        lazy = host.events()
        await next_event(lazy, "project")
        for _ in range(3 * hosting.N_WAITING):
            host._tell("version", {})  # pyright: ignore[reportPrivateUsage]
        await asyncio.sleep(0.05)
        assert host.project()["stage"] == "ready"

    hosted(write_clusters(tmp_path), work)


def test_an_outlook_that_was_not_measured_is_not_taken_for_one(tmp_path: Path) -> None:
    studio = open_clusters(tmp_path)
    label_all_classes(studio, 4)
    assert studio.now.outlook.version != studio.now.version
    studio.do({"kind": "skip", "selection": {"rows": [20]}})
    assert studio.now.outlook.version != studio.now.version  # nobody has looked yet
    studio.improve(look_ahead(studio.now.model, studio.now.version))
    studio.do({"kind": "skip", "selection": {"rows": [21]}})
    assert studio.now.outlook.version == studio.now.version  # the same model was looked at
    studio.close()


def test_threads_end_with_the_host(tmp_path: Path) -> None:
    found: list[Host] = []

    async def work(host: Host) -> None:
        found.append(host)
        await host.gesture(listed("red", 0), "one")

    hosted(write_clusters(tmp_path), work)
    assert found[0].is_idle


def test_opening_stops_when_the_host_does(tmp_path: Path) -> None:
    async def run() -> Host:
        host = Host(Source(write_clusters(tmp_path)))
        await host.start()
        await host.stop()
        return host

    assert asyncio.run(run()).is_idle
