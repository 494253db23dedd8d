import pytest

from diffresnet.studio.searching import Search

SEARCH = Search(["a.png", "B/c.png", "d"], ["One (1)", "two", "ÉTÉ one"])


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("one", [0, 2]),
        (" TWO ", [1]),
        ("été", [2]),
        (".png", [0, 1]),
        ("(1)", [0]),
        (".*", []),
        ("", []),
    ],
)
def test_texts_and_ids_are_searched(text: str, rows: list[int]) -> None:
    assert SEARCH.find(text).tolist() == rows


def test_long_texts_are_refused() -> None:
    with pytest.raises(ValueError, match="`q` must be a text of up to 1,000 letters, got"):
        SEARCH.find("a" * 1001)
