"""What encoders encode: items with names, some of which perhaps cannot be read."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol

from diffresnet._support.checks import fail
from diffresnet._support.progress import track
from diffresnet._support.words import N_NAMED, count, some

WhenUnreadable = Literal["refuse", "skip"]


class UnreadableError(ValueError):
    """An item that cannot be read; the message says why."""


class Items(Protocol):
    """A sequence of pictures or texts."""

    @property
    def ids(self) -> tuple[str, ...]:
        """A name for each item."""
        ...

    def content(self, row: int) -> bytes:
        """Return what tells an item apart from others, or raise `UnreadableError`."""
        ...

    def load(self, row: int) -> Any:
        """Return the item as an encoder takes it, or raise `UnreadableError`."""
        ...


def check_ids(function: str, ids: Sequence[str]) -> None:
    """Require that no two items have the same id: labels could not tell them apart."""
    twice = next((name for name, n in Counter(ids).items() if n > 1), None)
    if twice is not None:
        fail(function, "ids", "different from each other", f"{twice!r} twice", "Rename one.")


def find_troubles(read: Callable[[int], object], n_items: int, title: str) -> list[str]:
    """Read every item, under a progress bar; return what is wrong with each, "" if nothing is."""
    troubles = [""] * n_items
    for row in track(range(n_items), title):
        try:
            read(row)
        except UnreadableError as error:
            troubles[row] = str(error)
    return troubles


def readable_rows(
    ids: Sequence[str],
    troubles: Sequence[str],
    when_unreadable: WhenUnreadable,
    report: Callable[[str], None],
) -> list[int]:
    """Return the rows of the items that can be read: those with no trouble, which is "".

    The others are refused, by a `ValueError` that names the first of them; or each is left out, and
    reported by a sentence. If none can be read, they are refused in any case.
    """
    bad = [row for row, trouble in enumerate(troubles) if trouble]
    if bad and (when_unreadable == "refuse" or len(bad) == len(ids)):
        named = "; ".join(f"{some([ids[row]])} ({troubles[row]})" for row in bad[:N_NAMED])
        more = f" and {count(len(bad) - N_NAMED, 'other')}" if len(bad) > N_NAMED else ""
        skip = (
            "" if len(bad) == len(ids) else ", or skip them (`when_unreadable`, --unreadable skip)"
        )
        fail(
            "encoders", "items", "readable throughout", named + more, f"Mend or remove them{skip}."
        )
    for row in bad:
        report(f"left out {ids[row]}: {troubles[row]}")
    return [row for row, trouble in enumerate(troubles) if not trouble]
