import pytest

from diffresnet._support.words import count, reason_of, some


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["a"], "'a'"),
        (["a", "b", "c"], "'a', 'b', 'c'"),
        (["a", "b", "c", "d"], "'a', 'b', 'c' and 1 other"),
        ([1, 2, 3, 4, 5], "'1', '2', '3' and 2 others"),
    ],
)
def test_names_a_few(names: list[object], text: str) -> None:
    assert some(names) == text


def test_counts() -> None:
    assert [count(1, "step"), count(0, "step"), count(2000, "class")] == [
        "1 step",
        "0 steps",
        "2,000 classes",
    ]


def test_the_reason_of_an_error_is_its_first_line() -> None:
    assert reason_of(ValueError("\nit is torn.\nSee elsewhere.")) == "it is torn"
    assert reason_of(ValueError()) == ""


def test_what_is_quoted_stays_on_one_line() -> None:
    assert some(["a\nb", "\x1b[31m"]) == r"'a\nb', '\x1b[31m'"
