from pathlib import Path

import diffresnet
from diffresnet.report.shell import make_shell


def test_a_page_may_load_nothing_and_runs_no_script_without_one() -> None:
    page = make_shell("<b> & co", "<p>text</p>", style="p { color: red }").decode()
    for directive in ("default-src", "base-uri", "form-action"):
        assert f"{directive} 'none'" in page
    assert "script" not in page
    assert page.count("&lt;b&gt; &amp; co") == 2
    assert "<p>text</p>" in page


def test_a_script_gets_its_data() -> None:
    page = make_shell("t", "", style="", script="run()", data='{"a": 1}').decode()
    assert "script-src 'unsafe-inline'" in page
    assert '<script type="application/json" id="data">{"a": 1}</script>' in page


def test_names_that_are_no_texts() -> None:
    assert b"<h1>p?.csv</h1>" in make_shell("p\udcff.csv", "", style="")


def test_every_page_has_this_shell() -> None:
    sources = Path(diffresnet.__file__).parent
    pages = [path for path in sources.rglob("*.py") if "doctype html" in path.read_text().lower()]
    assert [path.relative_to(sources).as_posix() for path in pages] == ["report/shell.py"]
