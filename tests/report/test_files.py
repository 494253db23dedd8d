import json
from pathlib import Path

from diffresnet.report.files import Report
from diffresnet.report.page import Paragraph


def test_writes_the_page_first_then_the_numbers_and_the_pictures(tmp_path: Path) -> None:
    report = Report("Title", [Paragraph("words")], {"a.png": b"PNG"}, {"x": [1, 2]})
    names = [path.relative_to(tmp_path).as_posix() for path in report.write(tmp_path / "out")]
    assert names == ["out/index.html", "out/results.json", "out/a.png"]
    assert "<p>words</p>" in (tmp_path / "out" / "index.html").read_text()
    assert json.loads((tmp_path / "out" / "results.json").read_text()) == {"x": [1, 2]}
    assert (tmp_path / "out" / "a.png").read_bytes() == b"PNG"
