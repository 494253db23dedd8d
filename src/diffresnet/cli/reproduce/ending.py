"""How a command of `diffresnet reproduce` ends: its tables on the terminal, its files written."""

from pathlib import Path

from rich.table import Table

from diffresnet.cli.console import say, show
from diffresnet.report.files import Report


def finish_report(report: Report, out: Path) -> None:
    """Print the summaries of a report, and write its files."""
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
        show(table)
    for path in report.write(out):
        say(f"wrote {path}")
