from pathlib import Path

import pytest

from diffresnet.cli.reproduce.ending import finish_report
from diffresnet.report.files import Report
from diffresnet.report.page import Table


def test_prints_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    summary = Table(["method", "accuracy (%)"], [["one", "50.0 ± 1.0"]])
    finish_report(Report("Title", [], {"a.png": b""}, {}, [summary]), tmp_path)
    shown = capsys.readouterr().out
    assert "50.0 ± 1.0" in shown
    assert shown.count("wrote") == 3
    assert (tmp_path / "a.png").exists()


def test_leaves_nothing_out_on_a_narrow_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    heads = ["method", *(f"graph {place}, ours" for place in range(6))]
    rows = [["GraphSAGE-maxpool", *(f"7{place}.0 ± 1.0" for place in range(6))]]
    finish_report(Report("Title", [], {}, {}, [Table(heads, rows)]), tmp_path)
    shown = capsys.readouterr().out
    assert all(cell in shown for cell in rows[0])
