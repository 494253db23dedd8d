"""What somebody should know who goes on: commands print it, Python users get a warning."""

import warnings

from diffresnet._support.words import LONGEST_QUOTE, shortened


class Notice(UserWarning):
    """Something that was found in what was given, and what was made of it."""


def tell(sentence: str) -> None:
    """Give a notice."""
    warnings.warn(shortened(sentence, LONGEST_QUOTE), Notice, stacklevel=3)
