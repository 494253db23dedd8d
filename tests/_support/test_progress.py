import io
import sys

import pytest

from diffresnet._support import progress as _progress
from diffresnet._support.progress import progress_bar, shown_at_once, track


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def run(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, *, show: bool, wait: float) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(_progress, "SECONDS_BEFORE_BAR", wait)
    with progress_bar("working", 3, show=show) as advance:
        for n_done in range(4):
            advance(n_done, f"remark {n_done}")
    return stream.getvalue()


def test_a_bar_on_a_terminal_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    text = run(Terminal(), monkeypatch, show=True, wait=-1)
    assert "working" in text
    assert "3/3" in text
    assert "remark 3" in text


def test_silence_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(Terminal(), monkeypatch, show=True, wait=60) == ""
    assert run(Terminal(), monkeypatch, show=False, wait=-1) == ""
    assert run(io.StringIO(), monkeypatch, show=True, wait=-1) == ""


def test_words_are_shown_at_once_and_gone_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with shown_at_once("loading \x1b ..."):
        assert stream.getvalue() == "loading \\x1b ..."
    assert stream.getvalue().endswith(f"\r{' ' * 16}\r")


@pytest.mark.parametrize("stream", [io.StringIO(), None])
def test_no_words_without_a_terminal(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO | None
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    with shown_at_once("loading ..."):
        pass
    assert stream is None or stream.getvalue() == ""


def test_items_under_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(_progress, "SECONDS_BEFORE_BAR", -1)
    assert list(track("abc", "working")) == ["a", "b", "c"]
    assert "3/3" in stream.getvalue()


def test_names_are_shown_and_never_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(_progress, "SECONDS_BEFORE_BAR", -1)
    with progress_bar("[/red]\x1b[2J", 1) as advance:
        advance(1, "[/bold]\x07")
    assert r"[/red]\x1b[2J" in stream.getvalue()
    assert r"[/bold]\x07" in stream.getvalue()
    assert "\x1b[2J" not in stream.getvalue()
