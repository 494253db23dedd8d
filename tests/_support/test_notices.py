import pytest

from diffresnet._support.notices import Notice, tell


def test_a_notice_is_a_warning() -> None:
    with pytest.warns(Notice, match="a tab"):
        tell("There is a tab.")


def test_what_it_quotes_is_shortened() -> None:
    with pytest.warns(Notice) as found:
        tell("x" * 100_000)
    assert len(str(found[0].message)) < 1000
