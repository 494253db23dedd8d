from pathlib import Path

import pytest

from diffresnet.cli.report_end import finish_report
from diffresnet.report.files import Report
from diffresnet.report.page import Table


def test_prints_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    summary = Table(["method", "accuracy (%)"], [["one", "50.0 ± 1.0"]])
    finish_report(Report("Title", [], {"a.png": b""}, {}, [summary]), tmp_path)
    shown = capsys.readouterr().out
    assert "50.0 ± 1.0" in shown
    assert shown.count("wrote") == 3
    assert (tmp_path / "a.png").exists()
