"""How a command of `diffresnet reproduce` ends: its tables on the terminal, its files written."""

from pathlib import Path

from diffresnet.cli.console import show
from diffresnet.cli.outputs import write_files
from diffresnet.report.files import Report


def finish_report(report: Report, out: Path) -> None:
    """Write the files of a report, and print its summaries."""

    def speak() -> None:
        for summary in report.summaries:
            show(report.title, summary.heads, summary.rows)

    write_files({out / name: content for name, content in report.contents().items()}, speak)
