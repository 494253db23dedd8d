import pytest

from diffresnet.cli.comparison import compare_in_json, show_comparison
from diffresnet.measuring.statistics import PairedDifference

SAME, BETTER = PairedDifference(0.0, 0.0), PairedDifference(0.125, 0.01)


def test_the_first_is_compared_with_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [["ours", "90.00"], ["theirs", "77.50"]]
    show_comparison("title", ["accuracy %"], rows, "ours", [SAME, BETTER])
    shown = capsys.readouterr().out
    assert "ours minus it" in shown
    assert "+12.50 ± 1.00" in shown
    assert "+0.00" not in shown


def test_one_method_is_compared_with_none(capsys: pytest.CaptureFixture[str]) -> None:
    show_comparison("title", ["accuracy %"], [["ours", "90.00"]], "ours", [SAME])
    assert "minus it" not in capsys.readouterr().out


def test_numbers_of_the_first_and_a_list_of_all() -> None:
    found = compare_in_json([{"a": 1}, {"a": 2}], [SAME, BETTER])
    assert found["a"] == 1
    assert [one["a"] for one in found["results"]] == [1, 2]
    assert found["results"][1]["first_minus_it"] == {"difference": 0.125, "ci95": 0.01}
