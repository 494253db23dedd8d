from diffresnet.report.shell import make_shell


def test_a_page_may_load_nothing_and_runs_no_script_without_one() -> None:
    page = make_shell("<b> & co", "<p>text</p>", style="p { color: red }").decode()
    assert "default-src 'none'" in page
    assert "script" not in page
    assert page.count("&lt;b&gt; &amp; co") == 2
    assert "<p>text</p>" in page


def test_a_script_gets_its_data() -> None:
    page = make_shell("t", "", style="", script="run()", data='{"a": 1}').decode()
    assert "script-src 'unsafe-inline'" in page
    assert '<script type="application/json" id="data">{"a": 1}</script>' in page
