import json
from pathlib import Path

import pytest

from diffresnet.paper.synthetic.report import report_synthetic


def test_writes_the_page_the_pictures_and_the_numbers(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    files = report_synthetic(n_seeds=1, n_epochs=20, n_jobs=1).write(tmp_path)
    assert files[0] == tmp_path / "index.html"
    names = {path.name for path in tmp_path.iterdir()}
    pictures = {f"{n}.{s}" for n in ("xor", "moon", "circle", "spiral") for s in ("png", "svg")}
    assert names == {"index.html", "results.json", "xor.gif"} | pictures
    page = (tmp_path / "index.html").read_text()
    assert page.count("<img") == 5
    assert 'src="http' not in page
    results = json.loads((tmp_path / "results.json").read_text())
    assert len(results["seeds"]) == 18
    assert results["published_accuracy_percent"]["circle"]["with"] == [50.0, 89.1, 100.0]
    assert len(results["shown"]["moon"]["with"]) == 21
