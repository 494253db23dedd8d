"""Counts of the docs, checked against what they count.

A comment is behind the words that are counted: ``22 recipes <!-- count package.module:NAMES -->``
is the length of something in the code, ``18 programs <!-- count examples/gallery/plot_*.py -->``
the number of files that there are.
"""

import re
from importlib import import_module

from tests.docs.numbers import Found
from tests.docs.pages import ROOT

COUNT = re.compile(r"(\d[\d,]*)([^\d<|]*)<!-- count (\S+) -->")


def counts_of(text: str) -> list[Found]:
    """Return all counts of a page that name what they count."""
    return [
        Found(f"{said}{words}".strip(), said, str(_count(place)))
        for said, words, place in COUNT.findall(text)
    ]


def _count(place: str) -> int:
    module, _, name = place.partition(":")
    return len(getattr(import_module(module), name)) if name else len(list(ROOT.glob(place)))
