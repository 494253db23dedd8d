import sys
from io import StringIO
from threading import Thread

import pytest

from diffresnet._support import stages
from diffresnet._support.stages import listening, shown_stages, stage


def test_nobody_listens() -> None:
    with stage("modes") as advance:
        advance()


def test_steps_of_several_threads_are_all_counted() -> None:
    heard: list[tuple[str, float | None]] = []
    with listening(lambda name, part: heard.append((name, part))):
        with stage("neighbors", total=40) as advance:
            threads = [Thread(target=lambda: [advance() for _ in range(10)]) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        with stage("modes"):
            pass
    assert heard[0] == ("neighbors", 0.0)
    assert heard[40] == ("neighbors", 1.0)
    assert heard[41] == ("modes", None)


class _Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def run_stages() -> None:
    with shown_stages("fitting 10 points"):
        for name in ("neighbors", "[modes]"):
            with stage(name, total=1) as advance:
                advance()


def test_a_line_is_shown_on_a_terminal_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(stages, "SECONDS_BEFORE_BAR", -1.0)
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    run_stages()
    assert "fitting 10 points: [modes]" in terminal.getvalue()


def test_none_before_two_seconds_or_beside_another_listener(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    run_stages()
    monkeypatch.setattr(stages, "SECONDS_BEFORE_BAR", -1.0)
    heard: list[str] = []
    with listening(lambda name, _: heard.append(name)):
        run_stages()
    assert terminal.getvalue() == ""
    assert "neighbors" in heard
