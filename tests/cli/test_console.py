import io
import re
from pathlib import Path

import pytest

import diffresnet.cli
from diffresnet.cli.console import check_output, say, show, warn


def test_sentences_are_printed_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    say("[bold]not markup[/bold] :smile: " + "long " * 40)
    warn("[red]nor this")
    printed = capsys.readouterr()
    assert printed.out.startswith("[bold]not markup[/bold] :smile: long")
    assert printed.out.count("\n") == 1
    assert printed.err == "[red]nor this\n"


def test_a_wide_table_is_not_cut(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    show("title", [f"column{place}" for place in range(6)], [["0123456789"] * 6])
    assert capsys.readouterr().out.count("0123456789") == 6


HOSTILE = "[/bold] :smile: \x1b[2J\x9b31m\r\n\u202eright\udcff"
SHOWN = r"[/bold] :smile: \x1b[2J\x9b31m\r\n\u202eright\udcff"


def test_names_are_shown_and_never_obeyed(capsys: pytest.CaptureFixture[str]) -> None:
    say(HOSTILE)
    warn(HOSTILE)
    show(HOSTILE, ["class", HOSTILE], [[HOSTILE, HOSTILE]], caption=HOSTILE)
    printed = capsys.readouterr()
    assert printed.out.splitlines()[0] == printed.err.splitlines()[0] == SHOWN
    assert printed.out.count("[/bold] :smile:") == 6
    assert not set("\x1b\x9b\r\u202e\udcff") & set(printed.out)


def test_a_stream_that_has_not_every_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, encoding="ascii", write_through=True))
    say("café")
    show("5 ± 1", ["class", "±"], [["café", "1 ± 2"]])
    assert raw.getvalue().startswith(rb"caf\xe9")
    assert rb"1 \xb1 2" in raw.getvalue()


def test_a_long_name_does_not_widen_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    show("title", ["class", "n"], [["x" * 5000, "1"]])
    assert max(map(len, capsys.readouterr().out.splitlines())) < 80


def test_no_command_prints_by_itself() -> None:
    sources = Path(diffresnet.cli.__file__).parent
    printing = re.compile(r"(import|from) rich|typer\.(s?echo|secho)|\bprint\(|sys\.std(out|err)\.")
    found = {
        path.relative_to(sources).as_posix(): printing.findall(path.read_text())
        for path in sources.rglob("*.py")
    }
    assert {name for name, uses in found.items() if uses} == {"console.py"}


def test_no_streams_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", None)
    monkeypatch.setattr("sys.stderr", None)
    check_output()
