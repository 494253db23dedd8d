"""Words in sentences for people: counts with their nouns, and lists that stay short."""

import re
from collections.abc import Sequence
from unicodedata import category

N_NAMED = 3
LONGEST_NAME, LONGEST_QUOTE = 80, 600
"""Letters of a name, or of all that a sentence quotes: files of strangers have longer ones."""

OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What a terminal obeys rather than shows: control characters, line separators, marks that reverse
text; and halves of characters, which no stream takes."""


def count(number: int, noun: str) -> str:
    """Return a count with its noun, in the plural unless it is one.

    Examples:
        >>> count(1, "class"), count(1200, "class"), count(5, "shot")
        ('1 class', '1,200 classes', '5 shots')
    """
    ending = "" if number == 1 else "es" if noun.endswith("s") else "s"
    return f"{number:,} {noun}{ending}"


def some(names: Sequence[object], n_named: int = N_NAMED) -> str:
    """Name the first few, and count the others.

    Examples:
        >>> some(["a", "b", "c", "d", "e"])
        "'a', 'b', 'c' and 2 others"
    """
    first = ", ".join(f"'{shortened(str(name))}'" for name in names[:n_named])
    n_others = len(names) - n_named
    return first if n_others <= 0 else f"{first} and {count(n_others, 'other')}"


def shortened(text: str, n_letters: int = LONGEST_NAME) -> str:
    r"""Return a text that can be quoted: one line of valid Unicode, without its middle if long.

    Examples:
        >>> shortened("a" * 1000, 11), shortened("caf\udce9.csv")
        ('aaaa...aaaa', 'caf\\udce9.csv')
    """
    if len(text) > n_letters:
        n_kept = (n_letters - 3) // 2
        text = f"{text[:n_kept]}...{text[-n_kept:]}"
    return plain(text)


def reason_of(error: BaseException) -> str:
    """Return the first line of what an error says, without its period."""
    first = str(error).strip().split("\n", maxsplit=1)[0]
    return shortened(first.rstrip("."), LONGEST_QUOTE // 2)


def is_visible(text: str) -> bool:
    r"""Tell whether there is something to see: not only blanks, or characters without a width.

    Examples:
        >>> is_visible("a"), is_visible(" "), is_visible("\u200b\u2060")
        (True, False, False)
    """
    return any(category(one)[0] not in "ZC" for one in text)


def plain(text: str) -> str:
    r"""Return a text in which characters that a terminal would obey are written as in Python.

    Examples:
        >>> print(plain("red \x1b[31m, two\nlines, café"))
        red \x1b[31m, two\nlines, café
    """
    return OBEYED.sub(lambda found: found.group().encode("unicode_escape").decode(), text)
