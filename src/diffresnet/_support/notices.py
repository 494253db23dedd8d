"""What somebody should know who goes on: commands print it, Python users get a warning."""

import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from diffresnet._support.words import LONGEST_QUOTE, shortened


class Notice(UserWarning):
    """Something that was found in what was given, and what was made of it."""


def tell(sentence: str) -> None:
    """Give a notice."""
    warnings.warn(shortened(sentence, LONGEST_QUOTE), Notice, stacklevel=3)


@contextmanager
def told_by(speak: Callable[[str], None]) -> Generator[None]:
    """Let `speak` have the notices that are given in the block, as they come."""
    with warnings.catch_warnings():
        others = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any) -> None:
            if issubclass(category, Notice):
                speak(str(message))
            else:
                others(message, category, *place)

        warnings.simplefilter("always", Notice)
        warnings.showwarning = show
        yield
