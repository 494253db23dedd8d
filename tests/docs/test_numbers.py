"""Every number that names its file is what the file has."""

import json
from pathlib import Path

import pytest

from tests.docs.numbers import Found, correct, look_up, numbers_of
from tests.docs.pages import ROOT, name_of, pages

RESULTS = ROOT / "docs/results"
LEAST = 1400
"""So many numbers are checked, so that no comment is lost unseen."""


def test_numbers_are_those_of_their_files() -> None:
    found = {name_of(page): numbers_of(page.read_text(), RESULTS) for page in pages()}
    wrong = {
        name: [f"{one.where}: {one.said}, not {one.true}" for one in numbers if not one.is_right]
        for name, numbers in found.items()
    }
    assert {name: some for name, some in wrong.items() if some} == {}
    assert sum(map(len, found.values())) >= LEAST


PAGE = """
<!-- numbers {"cell": ["a.json:r/[m={row};k={column}]/a*100",
     "a.json:r/[m={row};k={column}]/h*100"], "rows": {"ours": "x", "paper": null},
     "columns": {"one": "1"}} -->

| % | one |
|---|---|
| **ours** | **71.7 ± 2.2** |
| paper | 99.9 |

It is 71.7 % <!-- number a.json:r/0/a*100 -->, of 1,000 <!-- number a.json:n -->.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    content = {"n": 1000, "r": [{"m": "x", "k": 1, "a": 0.7167, "h": 0.0223}]}
    (tmp_path / "a.json").write_text(json.dumps(content))
    return tmp_path


def test_right_numbers_pass(folder: Path) -> None:
    found = numbers_of(PAGE, folder)
    assert [one.said for one in found] == ["71.7", "2.2", "71.7", "1,000"]
    assert all(one.is_right for one in found)


@pytest.mark.parametrize(
    ("right", "wrong"), [("± 2.2", "± 2.3"), ("**71.7", "**71.6"), ("is 71.7", "is 71.8")]
)
def test_a_wrong_number_is_caught(folder: Path, right: str, wrong: str) -> None:
    found = numbers_of(PAGE.replace(right, wrong), folder)
    assert sum(not one.is_right for one in found) == 1
    assert correct(PAGE.replace(right, wrong), folder) == PAGE


def test_what_a_file_does_not_have_is_an_error(folder: Path) -> None:
    with pytest.raises(KeyError, match=r"fits 0 of 1"):
        numbers_of(PAGE.replace('"x"', '"y"'), folder)
    with pytest.raises(ValueError, match="has not 2 numbers"):
        numbers_of(PAGE.replace(" ± 2.2", ""), folder)
    with pytest.raises(IndexError):
        look_up([1], "3")


def test_means_over_some() -> None:
    rows = [{"s": "a", "m": 1, "v": 2}, {"s": "b", "m": 1, "v": 4}, {"s": "c", "m": 1, "v": 9}]
    assert look_up(rows, "<m=1;s!=c>/v") == 3
    assert look_up({"r": rows}, "r/[s=c]/v") == 9
    with pytest.raises(KeyError, match="fits 0 of 3"):
        look_up(rows, "<m=2>/v")


def test_corrected_numbers_are_written_as_they_were() -> None:
    assert Found("here", "+1.3", "2.50").as_written == "+2.5"
    assert Found("here", "1,000", "23456").as_written == "23,456"
    assert Found("here", "-0.0", "0.0").as_written == "-0.0"


def test_zero_has_no_sign() -> None:
    assert Found("here", "-0.0", "0.0").is_right
