import json

import pytest

from diffresnet.paper.synthetic.report import report_synthetic


def test_the_page_the_pictures_and_the_numbers() -> None:
    pytest.importorskip("matplotlib")
    contents = report_synthetic(n_seeds=1, n_epochs=20, n_jobs=1).contents()
    pictures = {f"{n}.{s}" for n in ("xor", "moon", "circle", "spiral") for s in ("png", "svg")}
    assert contents.keys() == {"index.html", "results.json", "xor.gif"} | pictures
    page = contents["index.html"].decode()
    assert page.count("<img") == 5
    assert 'src="http' not in page
    results = json.loads(contents["results.json"])
    assert len(results["seeds"]) == 18
    assert results["published_accuracy_percent"]["circle"]["with"] == [50.0, 89.1, 100.0]
    assert len(results["shown"]["moon"]["with"]) == 21
