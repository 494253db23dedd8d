import asyncio
import threading
import time

import pytest

from diffresnet._support.stages import listening, stage
from diffresnet.studio.worker import Worker


def test_work_is_done_in_order_in_one_thread() -> None:
    worker, seen = Worker("w"), list[tuple[int, str]]()
    futures = [
        worker.submit(lambda n=n: seen.append((n, threading.current_thread().name)))
        for n in range(20)
    ]
    for future in futures:
        future.result(5)
    assert seen == [(n, "w") for n in range(20)]


def test_errors_reach_whoever_waits() -> None:
    worker = Worker("w")
    with pytest.raises(ValueError, match="no"):
        worker.submit(lambda: (_ for _ in ()).throw(ValueError("no")).send(None)).result(5)
    assert worker.submit(lambda: 3).result(5) == 3


def test_waiting_blocks_no_other() -> None:
    async def both() -> tuple[float, int]:
        begin = time.monotonic()
        slow = asyncio.create_task(Worker("w").run(lambda: time.sleep(0.3) or 7))
        await asyncio.sleep(0.01)
        return time.monotonic() - begin, await slow

    waited, result = asyncio.run(both())
    assert waited < 0.25
    assert result == 7


def test_listeners_follow_the_work() -> None:
    heard: list[str] = []

    def work() -> None:
        with stage("deep"):
            pass

    async def run() -> None:
        with listening(lambda name, _: heard.append(name)):
            await Worker("w").run(work)

    asyncio.run(run())
    assert heard == ["deep"]


def test_after_the_end_nothing_is_done() -> None:
    worker = Worker("w")
    worker.close()
    assert worker.submit(lambda: 1).cancelled()
    assert worker.join(10)


def test_the_end_comes_after_the_work_at_hand() -> None:
    worker, begun, go_on = Worker("w"), threading.Event(), threading.Event()
    first = worker.submit(lambda: begun.set() or go_on.wait(10))
    second = worker.submit(lambda: 1)
    assert begun.wait(10)
    worker.close()
    assert not worker.join(0.05)
    go_on.set()
    assert worker.join(10)
    assert first.result() is True
    assert second.cancelled()
