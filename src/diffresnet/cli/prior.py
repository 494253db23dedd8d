"""`--prior`: how common the classes are, as a user writes it."""

from collections.abc import Mapping, Sequence

from diffresnet._support.checks import refuse
from diffresnet._support.words import some

WHAT = "--prior"
MUST = "none, uniform, or a proportion of each class, such as cat=0.7,dog=0.3"


def read_prior(text: str) -> str | dict[str, float] | None:
    """Return the class prior that an option names.

    Raises `ValueError` if it is something else, or a proportion is no positive number.

    Examples:
        >>> read_prior("cat=0.7, dog=0.3")
        {'cat': 0.7, 'dog': 0.3}
    """
    if text in ("none", "uniform"):
        return None if text == "none" else text
    found: dict[str, float] = {}
    for part in text.split(","):
        name, _, number = part.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            value = 0.0
        if not name.strip() or not 0 < value < float("inf") or name.strip() in found:
            refuse(WHAT, MUST, f"'{text}'", "Write each class once, with a positive number.")
        found[name.strip()] = value
    return found


def check_prior_classes(prior: str | Mapping[str, float] | None, labels: Sequence[str]) -> None:
    """Refuse proportions of other classes than the labels have, or of some of them only."""
    if not isinstance(prior, Mapping):
        return
    classes = sorted(set(labels) - {""})
    wrong = [name for name in prior if name not in classes]
    missing = [name for name in classes if name not in prior]
    if wrong or missing:
        got = f"none of {some(missing)}" if missing else f"one of {some(wrong)}, without a label"
        remedy = "Name every class that has a label, and no other."
        refuse(WHAT, f"a proportion of each of the classes {some(classes)}", got, remedy)
