"""How a command of `diffresnet reproduce` ends: its tables on the terminal, its files written."""

from pathlib import Path

from rich.console import Console
from rich.table import Table

from diffresnet.report.files import Report

UNLIMITED = 10_000
"""Columns of a terminal on which any table has room."""


def finish_report(report: Report, out: Path) -> None:
    """Print the summaries of a report, and write its files."""
    console = Console()
    for summary in report.summaries:
        table = Table(title=report.title)
        columns = zip(*summary.rows, strict=True)
        for which, (head, cells) in enumerate(zip(summary.heads, columns, strict=True)):
            words = head.split()
            if which == 0:
                table.add_column(head, min_width=max(map(len, words)))
            else:  # heads may be broken between words, numbers not at all
                table.add_column(head, justify="right", width=max(map(len, [*words, *cells])))
        for row in summary.rows:
            table.add_row(*row)
        # On a narrow terminal, lines that are too long are better than names and numbers left out.
        needed = Console(width=UNLIMITED).measure(table).minimum
        Console(width=max(console.width, needed)).print(table)
    for path in report.write(out):
        console.print(f"wrote {path}", soft_wrap=True)
