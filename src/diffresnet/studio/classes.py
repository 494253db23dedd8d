"""Classes as the studio has them: a number for good, a name, a color, a key and a marker."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

from diffresnet._support.checks import refuse
from diffresnet._support.words import is_visible, plain, shortened
from diffresnet.learning.labels import is_missing
from diffresnet.report.class_marks import COLORS

KEYS = "123456789" + ascii_lowercase
N_SHAPES = 8
MOST_CLASSES = 65_000
"""Numbers of classes have two bytes, and are never used again."""

COLOR = re.compile("#[0-9a-f]{6}")
LONGEST_NAME = 200
NONE_NAME, SKIPPED_NAME = "none of these", "skipped"
RESERVED = (NONE_NAME, SKIPPED_NAME)
"""What answers are called that are no class."""


@dataclass(frozen=True)
class StudioClass:
    """A class.

    Attributes:
        id: its number, which no other class ever gets.
        name: as people read it.
        color: "#rrggbb".
        key: that gives it; None if there are no keys left.
        shape: number of its marker.
    """

    id: int
    name: str
    color: str
    key: str | None
    shape: int


def is_sound(given: StudioClass) -> bool:
    """Tell whether a class that was read from a file is one: its types are what the file says."""
    one: Any = given
    return (
        type(one.id) is int
        and 0 <= one.id < MOST_CLASSES
        and isinstance(one.name, str)
        and 0 < len(one.name) <= LONGEST_NAME
        and isinstance(one.color, str)
        and COLOR.fullmatch(one.color) is not None
        and (one.key is None or one.key in tuple(KEYS))
        and type(one.shape) is int
        and 0 <= one.shape < N_SHAPES
    )


def check_room(next_class: int) -> None:
    """Raise if there are no numbers left for new classes."""
    if next_class > MOST_CLASSES:
        must, got = f"at most {MOST_CLASSES:,} in all, also those that were deleted", "more"
        refuse("Classes", must, got, "Use those there are, or begin a new studio file.")


def make_class(number: int, name: str, others: Iterable[StudioClass]) -> StudioClass:
    """Return a new class with the first color and key that the others leave.

    Args:
        number: of the class.
        name: of the class, checked.
        others: that are there.

    Examples:
        >>> first = make_class(0, "cat", [])
        >>> second = make_class(1, "dog", [first])
        >>> first.key, second.key, first.color != second.color
        ('1', '2', True)
    """
    there = list(others)
    used, keys = [one.color for one in there], {one.key for one in there}
    place = min(range(len(COLORS)), key=lambda at: (used.count(COLORS[at]), at))
    again = used.count(COLORS[place])
    key = next((one for one in KEYS if one not in keys), None)
    return StudioClass(number, name, COLORS[place], key, (place + again) % N_SHAPES)


def check_color(given: Any) -> str:
    """Return a color that was given, or raise."""
    if not isinstance(given, str) or COLOR.fullmatch(given.lower()) is None:
        refuse("`color`", "one such as #2755aa", type(given).__name__, "Choose another.")
    return given.lower()


def check_key(given: Any) -> str | None:
    """Return the key of a class that was given, None for none, or raise."""
    if given is not None and given not in tuple(KEYS):
        refuse(
            "`key`", "a digit from 1 to 9, a letter, or none", type(given).__name__, "Choose one."
        )
    return given


def check_name(given: Any, classes: Mapping[int, StudioClass], own: int | None = None) -> str:
    """Return the name of a class that was given, or raise.

    Args:
        given: by a person.
        classes: there are, whose names are taken.
        own: the class that is to have the name, if there is one already.
    """
    if not isinstance(given, str) or len(given) > LONGEST_NAME:
        must = f"a text of at most {LONGEST_NAME} letters"
        got = f"{len(given)} letters" if isinstance(given, str) else type(given).__name__
        refuse("The name of a class", must, got, "Write another.")
    name = " ".join(given.split())
    if plain(name) != name:
        got, remedy = "control characters", "Write another."
        refuse("The name of a class", "text that can be read", got, remedy)
    if not is_visible(name):
        refuse("The name of a class", "text that can be seen", "nothing but blanks", "Write one.")
    if is_missing(name) or name.lower() in RESERVED:
        must, remedy = "one that does not mean another answer", "Write another."
        refuse("The name of a class", must, f"'{name}'", remedy)
    if any(one.name == name and one.id != own for one in classes.values()):
        got, remedy = (
            f"'{shortened(name)}', which is there already",
            "Merge the two, or write another.",
        )
        refuse("The name of a class", "new", got, remedy)
    return name


def check_class(given: Any, classes: Mapping[int, StudioClass], argument: str = "class") -> int:
    """Return the number of a class that is there, or raise."""
    if type(given) is not int or given not in classes:
        got = str(given) if isinstance(given, int) else type(given).__name__
        refuse(f"`{argument}`", "a class that is there", got, "Reload the page.")
    return given
