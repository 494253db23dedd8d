"""Texts with their names and classes."""

from dataclasses import dataclass

from diffresnet._support.checks import fail
from diffresnet.encoders.items import UnreadableError, check_ids


@dataclass(frozen=True)
class TextSet:
    """Texts, each with an id and perhaps with a class.

    A text of nothing but blanks cannot be read: an encoder would give all of them one place.

    Attributes:
        texts: one an item.
        ids: a name for each.
        labels: the class of each; empty if there are none.

    Examples:
        >>> TextSet(("Where is my card?", "Thanks!"), ("a", "b")).load(0)
        'Where is my card?'
    """

    texts: tuple[str, ...]
    ids: tuple[str, ...]
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.texts:
            fail("TextSet", "texts", "at least one", "none", "Add texts.")
        for name in ("ids", "labels"):
            n = len(getattr(self, name))
            if n != len(self.texts) and (n or name == "ids"):
                must = f"one for each of {len(self.texts)} texts"
                fail("TextSet", name, must, n, "Give one a text, or none.")
        check_ids("TextSet", self.ids)

    def content(self, row: int) -> bytes:
        """Return what tells a text apart from others."""
        return self.load(row).encode("utf-8", "surrogatepass")

    def load(self, row: int) -> str:
        """Return a text; an empty one is an `UnreadableError`."""
        if not self.texts[row].strip():
            raise UnreadableError("the text is empty")
        return self.texts[row]
