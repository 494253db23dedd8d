import pytest
from rich.table import Table

from diffresnet.cli.console import say, show, warn


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
    table = Table()
    for column in range(6):
        table.add_column(f"column{column}", min_width=10)
    table.add_row(*("0123456789" for _ in range(6)))
    show(table)
    assert capsys.readouterr().out.count("0123456789") == 6
