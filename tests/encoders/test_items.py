import pytest

from diffresnet.encoders.items import check_ids, readable_rows

IDS = ("a", "b", "c", "d", "e")


def test_all_readable() -> None:
    assert readable_rows(IDS, [""] * 5, "refuse", print) == [0, 1, 2, 3, 4]


def test_the_unreadable_are_reported_and_left_out() -> None:
    said: list[str] = []
    assert readable_rows(IDS, ["", "torn", "", "", "lost"], "skip", said.append) == [0, 2, 3]
    assert said == ["left out b: torn", "left out e: lost"]


def test_the_unreadable_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"got 'a' \(x\); 'b' \(x\); 'd' \(x\) and 1 other\. Mend"):
        readable_rows(IDS, ["x", "x", "", "x", "x"], "refuse", print)


def test_nothing_left() -> None:
    with pytest.raises(ValueError, match="must be readable"):
        readable_rows(("a",), ["x"], "skip", print)


def test_ids_tell_items_apart() -> None:
    check_ids("f", ["a", "b"])
    with pytest.raises(ValueError, match="f: `ids` must be different from each other, got 'a' tw"):
        check_ids("f", ["a", "b", "a"])
