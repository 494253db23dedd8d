import json

from diffresnet.report.files import Report
from diffresnet.report.page import Paragraph
from diffresnet.report.shell import POLICY


def test_the_page_first_then_the_numbers_and_the_pictures() -> None:
    report = Report("Title", [Paragraph("words")], {"a.png": b"PNG"}, {"x": [1, 2]})
    contents = report.contents()
    assert list(contents) == ["index.html", "results.json", "a.png"]
    assert b"<p>words</p>" in contents["index.html"]
    assert POLICY.encode() in contents["index.html"]
    assert json.loads(contents["results.json"]) == {"x": [1, 2]}
    assert contents["a.png"] == b"PNG"
