import pytest

from diffresnet.encoders.items import UnreadableError
from diffresnet.encoders.text_set import TextSet


def test_texts_are_their_own_content() -> None:
    texts = TextSet(("Grüße", "x"), ("1", "2"), ("a", ""))
    assert texts.content(0).decode() == texts.load(0) == "Grüße"


def test_an_empty_text_cannot_be_read() -> None:
    texts = TextSet((" \t", "x"), ("1", "2"))
    for function in (texts.load, texts.content):
        with pytest.raises(UnreadableError, match="the text is empty"):
            function(0)


def test_wrong_lengths() -> None:
    with pytest.raises(ValueError, match="`ids` must be one for each of 1 texts, got 2"):
        TextSet(("x",), ("1", "2"))
    with pytest.raises(ValueError, match="`texts` must be at least one, got none"):
        TextSet((), ())
