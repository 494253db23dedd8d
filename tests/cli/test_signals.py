import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from diffresnet.cli.lazy import add_commands
from diffresnet.cli.signals import Stopped, stopping_on_signals
from tests.fewshot.examples import random_bank

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows has no such signals")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_block_and_what_was_begun_is_put_in_order(
    number: int, request: pytest.FixtureRequest
) -> None:
    outside = signal.signal(number, signal.SIG_DFL)  # `nohup` has it ignored
    request.addfinalizer(lambda: signal.signal(number, outside))
    before, tidied = signal.getsignal(number), list[bool]()

    def work() -> None:
        try:
            os.kill(os.getpid(), number)
            time.sleep(5)
        finally:
            tidied.append(True)

    with pytest.raises(Stopped) as caught, stopping_on_signals():
        work()
    assert isinstance(caught.value, KeyboardInterrupt)
    assert caught.value.number == number
    assert tidied
    assert signal.getsignal(number) == before


def test_signals_that_are_ignored_stay_so() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as by nohup
    try:
        with stopping_on_signals():
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_another_thread_leaves_signals_alone() -> None:
    found: list[object] = []

    def look() -> None:
        with stopping_on_signals():
            found.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [signal.SIG_DFL]


def wait(resume: Path | None = None) -> None:
    """Wait."""
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(5)
    raise AssertionError(resume)


def test_a_command_ends_as_by_ctrl_c() -> None:
    commands = typer.Typer()
    commands.callback()(lambda: None)
    add_commands(commands, {"wait": f"{__name__}:wait"})
    said = CliRunner().invoke(commands, ["wait", "--resume", "[/kept]"])
    assert said.exit_code == 143
    assert said.output == "Stopped. The same command goes on from [/kept].\n"
    assert CliRunner().invoke(commands, ["wait"]).output == ""


@contextmanager
def long_evaluation(folder: Path) -> Generator[subprocess.Popen[str]]:
    """Start a command with two workers, and wait until one of them has done something."""
    bank = random_bank((30,) * 8)
    np.savez(folder / "bank.npz", features=bank.features.numpy(), labels=bank.labels.numpy())
    options = "bank.npz --tasks 100000 --ways 2 --queries 2 --jobs 2 --resume kept"
    command = [sys.executable, "-m", "diffresnet.cli", "fewshot", *options.split()]
    with subprocess.Popen(  # noqa: S603
        command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        while not any(path.stat().st_size for path in folder.glob("kept/*.jsonl")):
            assert process.poll() is None
            time.sleep(0.05)
        yield process


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_the_command(tmp_path: Path, number: int) -> None:
    with long_evaluation(tmp_path) as process:
        process.send_signal(number)
        said, _ = process.communicate(timeout=10)  # nobody holds the pipe any longer
    assert process.returncode == (143 if number == signal.SIGTERM else -number)
    if number == signal.SIGTERM:
        assert said == "Stopped. The same command goes on from kept.\n"
